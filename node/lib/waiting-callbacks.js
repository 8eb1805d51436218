'use strict';
// A pool whose connections are all busy, and a connection that is, keep the callbacks of those who wait in a list, and call each in
// the context of whoever is done before it. V8 carries stores through promises and through what Node.js keeps, not through the list
// of a library: a statement that waited would be of another's request. So these libraries get their callbacks bound to the number of
// the request that hands them over, and to no other store.
//
// Likewise a client that collects the commands of several requests sends all of them in the context of the first.
//
// A class is changed once the application has loaded it, in its prototype. A method that is missing is left missing.
const Module = require('node:module');

const FOLDER = '/node_modules/';

// How a command of ioredis is sent that waits for a connection.
const SEND = Symbol('probestream.send');

// The number of the request that put commands into a pipeline of ioredis, or that there are several.
const ORDERED_BY = Symbol('probestream.orderedBy');
const SEVERAL = -1;

// While pg-pool's own query() is at work: what it hands to connect() and to the client's query() are callbacks of its own. They
// need no number when they are called, and to change it takes time.
let isPoolQuery = false;

const asPoolQuery = (work) =>
  function (...args) {
    const before = isPoolQuery;
    isPoolQuery = true;
    try {
      return work.apply(this, args);
    } finally {
      isPoolQuery = before;
    }
  };

const bindPoolQuery = (contexts, original) => {
  const query = asPoolQuery(original);
  return function (text, values, callback) {
    return query.call(this, text, contexts.bind(values), contexts.bind(callback));
  };
};

const bindConnect = (contexts, original) =>
  function (callback) {
    const isOfPool = isPoolQuery && typeof callback === 'function';
    return original.call(this, contexts.bind(isOfPool ? asPoolQuery(callback) : callback));
  };

/** pg's client: a query that waits for another one of its connection, or for that to be ready, is submitted when it is. */
const bindQuery = (contexts, original) => {
  const send = contexts.sending(original);
  return function (config, values, callback) {
    const before = waitingQueries(this)?.length;
    const result = isPoolQuery
      ? send.call(this, config, values, callback)
      : send.call(this, config, contexts.bind(values), contexts.bind(callback));
    const after = waitingQueries(this);
    if (after?.length > before) bindSending(contexts, after[after.length - 1], 'submit');
    return result;
  };
};

/** Later versions of pg have _queryQueue; there a look at queryQueue prints a warning. */
const waitingQueries = (client) => client._queryQueue ?? Object.getOwnPropertyDescriptor(client, 'queryQueue')?.value;

/** What makes a connection, too, where none is free. */
const bindGetConnection = (contexts, original) => {
  const connecting = contexts.connecting(original);
  return function (callback) {
    const isFree = this._freeConnections?.length > 0;
    return (isFree ? original : connecting).call(this, contexts.bind(callback));
  };
};

const connecting = (contexts, original) => contexts.connecting(original);

/** The commands of a connection have a method that sends them when it is their turn, and the callback. */
const bindCommand = (callbackName) => (contexts, original) =>
  function (command) {
    bindSending(contexts, command, 'start');
    bindMethod(contexts, command, callbackName);
    return original.call(this, command);
  };

function bindMethod(contexts, object, name) {
  const method = object?.[name];
  if (typeof method === 'function') Reflect.set(object, name, contexts.bind(method));
}

function bindSending(contexts, object, name) {
  const method = object?.[name];
  if (typeof method === 'function') Reflect.set(object, name, contexts.bind(contexts.sending(method)));
}

/** ioredis: a command that is sent while there is no connection is sent again when there is one. */
const bindOffline = (contexts, original) => {
  const sending = contexts.sending(original);
  return function (command, stream) {
    const send = command?.[SEND];
    if (send !== undefined) {
      command[SEND] = undefined;
      return send.call(this, command, stream);
    }
    const before = this.offlineQueue?.length;
    const result = sending.call(this, command, stream);
    if (this.offlineQueue?.length > before) Reflect.set(command, SEND, contexts.bind(sending));
    return result;
  };
};

/**
 * ioredis: with enableAutoPipelining, the commands of several requests are put into one pipeline. It is sent in the context of the first,
 * or, if they had to wait for another pipeline, of one whose commands were in that.
 */
const noteRequest = (contexts, original) =>
  function (...args) {
    const number = contexts.current();
    this[ORDERED_BY] = (this[ORDERED_BY] ?? number) === number ? number : SEVERAL;
    return original.apply(this, args);
  };

const execAsTheirs = (contexts, original) =>
  function (...args) {
    const number = this[ORDERED_BY];
    return number === undefined ? original.apply(this, args) : contexts.as(number, original, this, args);
  };

// What replaces which methods of the class that a file of a package exports.
const METHODS = new Map([
  ['pg-pool/index.js', { connect: bindConnect, query: bindPoolQuery, newClient: connecting }],
  ['pg/lib/client.js', { query: bindQuery }],
  ['mysql/lib/Pool.js', { getConnection: bindGetConnection }],
  ['mysql/lib/protocol/Protocol.js', { _enqueue: bindCommand('_callback') }],
  ['mysql2/lib/base/pool.js', { getConnection: bindGetConnection }],
  ['mysql2/lib/base/connection.js', { addCommand: bindCommand('onResult') }],
  // Earlier versions of mysql2
  ['mysql2/lib/pool.js', { getConnection: bindGetConnection }],
  ['mysql2/lib/connection.js', { addCommand: bindCommand('onResult') }],
  ['ioredis/built/Redis.js', { sendCommand: bindOffline, connect: connecting }],
  ['ioredis/built/Pipeline.js', { sendCommand: noteRequest, exec: execAsTheirs }],
]);

function adapt(contexts, filename, module) {
  const folderAt = filename.lastIndexOf(FOLDER);
  const methods = folderAt < 0 ? undefined : METHODS.get(filename.slice(folderAt + FOLDER.length));
  if (methods === undefined) return;
  const { prototype } = module.exports.default ?? module.exports;
  for (const [name, bind] of Object.entries(methods)) {
    const original = Object.hasOwn(prototype, name) ? prototype[name] : undefined;
    if (typeof original === 'function') Reflect.set(prototype, name, bind(contexts, original));
  }
}

/** Adapts what has been loaded, and what will be: each file that a program loads costs a look at its name. */
function watchModules(contexts) {
  const look = (filename, module) => {
    try {
      adapt(contexts, filename, module);
    } catch {
      // It does not export the class that we know.
    }
  };
  const { load } = Module.prototype;
  if (typeof load !== 'function') return;
  Module.prototype.load = function (filename, ...rest) {
    const result = load.call(this, filename, ...rest);
    look(filename, this);
    return result;
  };
  for (const [filename, module] of Object.entries(Module._cache)) look(filename, module);
}

module.exports = { watchModules };
