'use strict';
// Feeds the eight probes of provider node in this thread: from diagnostics_channel, from the garbage collector and, for
// what has no channel, from Socket.prototype.end.
const diagnosticsChannel = require('node:diagnostics_channel');
const net = require('node:net');
const { GcObserver } = require('./gc-observer.js');
const { RequestContexts } = require('./request-contexts.js');
const { watchModules } = require('./waiting-callbacks.js');

// In the order of enum node_probe in src/node_probes.h, as are the two of gc-observer.js.
const NET_SERVER_CONNECTION = 0;
const NET_STREAM_END = 1;
const HTTP_SERVER_REQUEST = 2;
const HTTP_SERVER_RESPONSE = 3;
const HTTP_CLIENT_REQUEST = 4;
const HTTP_CLIENT_RESPONSE = 5;

// A program may have several copies of this package (its own, and one named to `node -r`): one of them is enough.
const INSTALLED = Symbol.for('probestream.nodeProbes');

// Node 18 and 20 forget channels that nobody holds, with their subscribers.
const subscribed = [];

/**
 * What the channels and Node.js call. A semaphore is looked at before anything else is, so that an event that nobody
 * watches costs a call and a load from memory. Nothing here may throw: it would end the application.
 */
class NodeProbes {
  #semaphores;
  #binding;
  #contexts;

  /** @param contexts what gives requests their numbers; null = nothing does */
  constructor(binding, contexts = null) {
    this.#contexts = contexts;
    this.#semaphores = new Uint16Array(binding.semaphores);
    this.#binding = binding;
  }

  /** Begins to feed them. */
  watch() {
    const subscribers = {
      'net.server.socket': ({ socket }) => this.connection(NET_SERVER_CONNECTION, socket),
      'http.server.request.start': ({ request, socket }) => this.serverRequest(request, socket),
      'http.server.response.finish': ({ socket }) => this.connection(HTTP_SERVER_RESPONSE, socket),
      'http.client.request.start': ({ request }) => this.clientRequest(request),
      'http.client.response.finish': ({ request }) => this.connection(HTTP_CLIENT_RESPONSE, request.socket),
    };
    if (this.#contexts !== null) {
      subscribers['http2.server.stream.start'] = ({ stream }) => this.stream(stream);
    }
    for (const [name, onMessage] of Object.entries(subscribers)) {
      const channel = diagnosticsChannel.channel(name);
      channel.subscribe(onMessage);
      subscribed.push(channel);
    }
    watchEnds(this);
  }

  /** An end() of a socket that has not been ended before. */
  streamEnd(socket) {
    if (this.#semaphores[NET_STREAM_END] !== 0 && !socket.writableEnded) this.connection(NET_STREAM_END, socket);
  }

  connection(probe, socket) {
    if (this.#semaphores[probe] === 0) return;
    this.#binding.fireConnection(probe, socket?.remoteAddress, socket?.remotePort, socket?._handle?.fd ?? -1);
  }

  serverRequest(request, socket) {
    this.#contexts?.begin(socket, 0);
    this.request(HTTP_SERVER_REQUEST, request, request.url, socket);
  }

  /** What a server pushes is the work of the request for which it does; such streams have even ids (RFC 9113, 5.1.1). */
  stream(stream) {
    if (stream.id % 2 === 1) this.#contexts.begin(stream.session?.socket, stream.id);
  }

  request(probe, request, url, socket) {
    if (this.#semaphores[probe] === 0) return;
    this.#binding.fireRequest(
      probe,
      socket?.remoteAddress,
      socket?.remotePort,
      socket?._handle?.fd ?? -1,
      request.method,
      url,
    );
  }

  /** A socket that is still connecting has no other end yet, and nothing of the request has left. */
  clientRequest(request) {
    if (this.#semaphores[HTTP_CLIENT_REQUEST] === 0) return;
    const { socket } = request;
    const fire = () => this.request(HTTP_CLIENT_REQUEST, request, request.path, socket);
    if (socket?.connecting) socket.once('connect', fire);
    else fire();
  }
}

/** Sockets have a channel for their beginning only; Node's own probe sat in end() as well. */
function watchEnds(probes) {
  const { end } = net.Socket.prototype;
  net.Socket.prototype.end = function (data, encoding, callback) {
    probes.streamEnd(this);
    return end.call(this, data, encoding, callback);
  };
}

/** Once per thread. */
function install(binding) {
  if (process[INSTALLED]) return;
  Object.defineProperty(process, INSTALLED, { value: true });
  const contexts = RequestContexts.areFree() ? new RequestContexts(binding) : null;
  new NodeProbes(binding, contexts).watch();
  if (contexts !== null) watchModules(contexts);
  if (!binding.hookGc()) new GcObserver(binding.fireGc).start();
}

module.exports = { NodeProbes, install };
