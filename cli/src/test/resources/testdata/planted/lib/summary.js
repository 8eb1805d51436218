'use strict';
// What was computed for the last users stays, so that what is new survives and each collection has much to do.
const remembered = [];
const REMEMBERED = 16;
const ROWS = 40000;
const GROUPS = 5000;

// The planted cause: an object, texts and an array for each row. Too long for V8 to compile it into its caller, whose name
// the stacks would show then.
async function groupRows() {
  const groups = new Map();
  for (let row = 0; row < ROWS; row++) {
    const key = `group ${row % GROUPS}`;
    const price = { net: row / 7, gross: (row / 7) * 1.19 };
    const entry = { row, label: `row ${row}`, price, parts: [row, row + 1, row + 2] };
    let group = groups.get(key);
    if (group === undefined) {
      group = { key, rows: [], count: 0, net: 0, gross: 0, cheapest: entry, dearest: entry, first: row, last: row };
      groups.set(key, group);
    }
    group.rows.push(entry);
    group.count += 1;
    group.net += price.net;
    group.gross += price.gross;
    if (price.net < group.cheapest.price.net) group.cheapest = entry;
    if (price.net > group.dearest.price.net) group.dearest = entry;
    if (row < group.first) group.first = row;
    if (row > group.last) group.last = row;
  }
  let most = 0;
  let worth = 0;
  for (const group of groups.values()) {
    most = Math.max(most, group.count);
    worth = Math.max(worth, group.gross - group.net);
  }
  remembered.push(groups);
  if (remembered.length > REMEMBERED) remembered.shift();
  return { groups: groups.size, most, worth };
}

module.exports = { groupRows };
