export type Item = { price: number; amount: number };

export class Basket {
  #seen = 0;

  constructor(private readonly items: readonly Item[]) {}

  private static times(item: Item): number {
    return item.price * item.amount;
  }

  /** Calls back once. */
  total(done: () => void): number {
    return this.items.reduce((sum, item) => {
      if (this.#seen++ === 0) { done(); }
      return sum + Basket.times(item);
    }, 0);
  }
}
