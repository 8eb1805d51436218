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
//# sourceMappingURL=basket.js.map