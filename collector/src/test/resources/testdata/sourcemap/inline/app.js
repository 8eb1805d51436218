"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
const basket_1 = require("./basket");
function report(visit) {
    visit(new Error('here').stack ?? '');
}
const arrow = (visit) => {
    const wishes = [{
            items: [
                { price: 1, amount: 2 },
                { price: 3, amount: 4 }
            ],
            who: 'grüße 😀'
        }];
    for (const { items } of wishes) {
        new basket_1.Basket(items).total(() => report(visit));
    }
};
async function later(visit) {
    await Promise.resolve();
    arrow(visit);
}
later(stack => console.log(stack));
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiYXBwLmpzIiwic291cmNlUm9vdCI6IiIsInNvdXJjZXMiOlsiLi4vc3JjL2FwcC50cyJdLCJuYW1lcyI6W10sIm1hcHBpbmdzIjoiOztBQUFBLHFDQUE2QztBQVU3QyxTQUFTLE1BQU0sQ0FBQyxLQUFjO0lBQzVCLEtBQUssQ0FBQyxJQUFJLEtBQUssQ0FBQyxNQUFNLENBQUMsQ0FBQyxLQUFLLElBQUksRUFBRSxDQUFDLENBQUM7QUFDdkMsQ0FBQztBQUVELE1BQU0sS0FBSyxHQUFHLENBQUMsS0FBYyxFQUFRLEVBQUU7SUFDckMsTUFBTSxNQUFNLEdBQVcsQ0FBQztZQUN0QixLQUFLLEVBQUU7Z0JBQ0wsRUFBRSxLQUFLLEVBQUUsQ0FBQyxFQUFFLE1BQU0sRUFBRSxDQUFDLEVBQUU7Z0JBQ3ZCLEVBQUUsS0FBSyxFQUFFLENBQUMsRUFBRSxNQUFNLEVBQUUsQ0FBQyxFQUFFO2FBQ3hCO1lBQ0QsR0FBRyxFQUFFLFVBQVU7U0FDaEIsQ0FBQyxDQUFDO0lBQ0gsS0FBSyxNQUFNLEVBQUUsS0FBSyxFQUFFLElBQUksTUFBTSxFQUFFLENBQUM7UUFBQyxJQUFJLGVBQU0sQ0FBQyxLQUFLLENBQUMsQ0FBQyxLQUFLLENBQUMsR0FBUyxFQUFFLENBQUMsTUFBTSxDQUFDLEtBQUssQ0FBQyxDQUFDLENBQUM7SUFBQyxDQUFDO0FBQ3pGLENBQUMsQ0FBQztBQUVGLEtBQUssVUFBVSxLQUFLLENBQUMsS0FBYztJQUNqQyxNQUFNLE9BQU8sQ0FBQyxPQUFPLEVBQUUsQ0FBQztJQUN4QixLQUFLLENBQ0QsS0FBSyxDQUFDLENBQUM7QUFDYixDQUFDO0FBRUQsS0FBSyxDQUFDLEtBQUssQ0FBQyxFQUFFLENBQUMsT0FBTyxDQUFDLEdBQUcsQ0FBQyxLQUFLLENBQUMsQ0FBQyxDQUFDIn0=