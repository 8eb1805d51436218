'use strict';
// A name server (RFC 1035, over UDP) that knows that every name is 127.0.0.1, and says so late; of names in nowhere.test it says at once
// that there are none.
const dgram = require('dgram');

const HEADER_BYTES = 12;
const TYPE_A = 1;

// The end of the question: labels up to the empty one, then type and class.
function endOfQuestion(query) {
  let at = HEADER_BYTES;
  while (query[at] !== 0) at += query[at] + 1;
  return at + 5;
}

function isNowhere(query) {
  return query.includes('\x07nowhere\x04test');
}

function answerTo(query) {
  const end = endOfQuestion(query);
  if (isNowhere(query)) {
    const none = Buffer.from(query.subarray(0, end));
    none.writeUInt16BE(0x8183, 2); // a response, no such name
    none.writeUInt16BE(0, 6);
    none.writeUInt32BE(0, 8);
    return none;
  }
  const isAddress = query.readUInt16BE(end - 4) === TYPE_A;
  const answer = Buffer.from(query.subarray(0, end));
  answer.writeUInt16BE(0x8180, 2); // a response, recursion desired and available, no error
  answer.writeUInt16BE(isAddress ? 1 : 0, 6);
  answer.writeUInt32BE(0, 8);
  // The name is that at offset 12; type A, class IN, no time to live, four bytes.
  const record = [0xc0, 0x0c, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1];
  return isAddress ? Buffer.concat([answer, Buffer.from(record)]) : answer;
}

// Gives the address at which it can be asked.
function startNames(address, port, delayMs) {
  const socket = dgram.createSocket('udp4');
  socket.on('message', (query, from) => {
    setTimeout(() => socket.send(answerTo(query), from.port, from.address), isNowhere(query) ? 0 : delayMs);
  });
  return new Promise((done, failed) => {
    socket.once('error', failed).bind(port, address, () => done(`${address}:${socket.address().port}`));
  });
}

module.exports = { startNames };
