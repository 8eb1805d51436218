"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.Basket = void 0;
class Basket {
    items;
    #seen = 0;
    constructor(items) {
        this.items = items;
    }
    static times(item) {
        return item.price * item.amount;
    }
    /** Calls back once. */
    total(done) {
        return this.items.reduce((sum, item) => {
            if (this.#seen++ === 0) {
                done();
            }
            return sum + Basket.times(item);
        }, 0);
    }
}
exports.Basket = Basket;
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiYmFza2V0LmpzIiwic291cmNlUm9vdCI6IiIsInNvdXJjZXMiOlsiLi4vc3JjL2Jhc2tldC50cyJdLCJuYW1lcyI6W10sIm1hcHBpbmdzIjoiOzs7QUFFQSxNQUFhLE1BQU07SUFHWTtJQUY3QixLQUFLLEdBQUcsQ0FBQyxDQUFDO0lBRVYsWUFBNkIsS0FBc0I7UUFBdEIsVUFBSyxHQUFMLEtBQUssQ0FBaUI7SUFBRyxDQUFDO0lBRS9DLE1BQU0sQ0FBQyxLQUFLLENBQUMsSUFBVTtRQUM3QixPQUFPLElBQUksQ0FBQyxLQUFLLEdBQUcsSUFBSSxDQUFDLE1BQU0sQ0FBQztJQUNsQyxDQUFDO0lBRUQsdUJBQXVCO0lBQ3ZCLEtBQUssQ0FBQyxJQUFnQjtRQUNwQixPQUFPLElBQUksQ0FBQyxLQUFLLENBQUMsTUFBTSxDQUFDLENBQUMsR0FBRyxFQUFFLElBQUksRUFBRSxFQUFFO1lBQ3JDLElBQUksSUFBSSxDQUFDLEtBQUssRUFBRSxLQUFLLENBQUMsRUFBRSxDQUFDO2dCQUFDLElBQUksRUFBRSxDQUFDO1lBQUMsQ0FBQztZQUNuQyxPQUFPLEdBQUcsR0FBRyxNQUFNLENBQUMsS0FBSyxDQUFDLElBQUksQ0FBQyxDQUFDO1FBQ2xDLENBQUMsRUFBRSxDQUFDLENBQUMsQ0FBQztJQUNSLENBQUM7Q0FDRjtBQWhCRCx3QkFnQkMifQ==