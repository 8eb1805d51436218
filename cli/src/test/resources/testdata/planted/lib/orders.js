'use strict';

// The planted cause: thrown where nobody catches it.
function priceOrder() {
  return new Promise(() => {
    setImmediate(function addTax() {
      throw new TypeError('no price for this order');
    });
  });
}

module.exports = { priceOrder };
