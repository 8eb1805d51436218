import { Basket, type Item } from './basket';

/** Types and comments are not in the script, so its lines are others. */
interface Wish {
  items: Item[];
  who?: string;
}

type Visitor = (stack: string) => void;

function report(visit: Visitor): void {
  visit(new Error('here').stack ?? '');
}

const arrow = (visit: Visitor): void => {
  const wishes: Wish[] = [{
    items: [
      { price: 1, amount: 2 },
      { price: 3, amount: 4 }
    ],
    who: 'grüße 😀'
  }];
  for (const { items } of wishes) { new Basket(items).total((): void => report(visit)); }
};

async function later(visit: Visitor): Promise<void> {
  await Promise.resolve();
  arrow(
      visit);
}

later(stack => console.log(stack));
