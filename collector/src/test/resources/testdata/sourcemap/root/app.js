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
//# sourceMappingURL=app.js.map