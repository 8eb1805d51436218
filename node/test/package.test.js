'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { build } = require('../build.js');
const { PACKAGE, run } = require('../fixtures/run.js');

const INSTALLED = "process[Symbol.for('probestream.nodeProbes')]";

function inFolder(work) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'probestream-'));
  try {
    return work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** A folder of an application that has the package among its modules. */
function inApplication(work) {
  return inFolder((folder) => {
    fs.mkdirSync(path.join(folder, 'node_modules'));
    fs.symlinkSync(PACKAGE, path.join(folder, 'node_modules', 'probestream'));
    return work(folder);
  });
}

test('node -r installs the probes', () => {
  assert.strictEqual(run('-r', PACKAGE, '-p', INSTALLED), 'true');
});

test('node --import installs the probes', () => {
  inApplication((folder) => {
    const main = path.join(folder, 'main.mjs');
    fs.writeFileSync(main, `console.log(${INSTALLED})`);
    assert.strictEqual(run('--import', path.join(folder, 'node_modules/probestream/lib/index.js'), main), 'true');
  });
});

test('a module imports its functions by name', () => {
  inApplication((folder) => {
    const main = path.join(folder, 'main.mjs');
    fs.writeFileSync(
      main,
      `import { probe, provider } from 'probestream';
       console.log(probe('a', 'int').name, provider('shop').probe('b').name, probe('a', 'int').enabled);`,
    );
    assert.strictEqual(run(main), 'app:a shop:b false');
  });
});

test('worker threads share the probes of their process and may come and go', () => {
  const worker = `
    const { probe } = require(${JSON.stringify(PACKAGE)});
    for (let i = 0; i < 10000; i++) probe('shared', 'int', 'string').fire(i, 'worker');
    require('http').get({ port: 1, host: '127.0.0.1' }).on('error', () => {});`;
  const script = `
    const { Worker } = require('worker_threads');
    require(${JSON.stringify(PACKAGE)}).probe('shared', 'int', 'string').fire(1, 'main');
    const work = () => new Promise((resolve, reject) =>
      new Worker(${JSON.stringify(worker)}, { eval: true }).on('error', reject).on('exit', resolve));
    (async () => {
      for (let i = 0; i < 4; i++) await Promise.all([work(), work()]);
      const maps = require('fs').readFileSync('/proc/self/maps', 'utf8').split('\\n');
      console.log(maps.filter((line) => line.includes('r-xp') && line.includes('memfd:app:shared')).length);
    })();`;
  assert.strictEqual(run('-e', script), '1');
});

test('a second copy of the package leaves the probes to the first', () => {
  inFolder((folder) => {
    const copy = path.join(folder, 'copy');
    fs.cpSync(PACKAGE, copy, { recursive: true });
    const subscribers = "require('diagnostics_channel').channel('http.server.request.start')._subscribers.length";
    assert.strictEqual(run('-r', PACKAGE, '-r', copy, '-p', subscribers), '1');
  });
});

test('the loop ends as if it were not there', () => {
  assert.strictEqual(run('-r', PACKAGE, '-e', "setImmediate(() => console.log('done'))"), 'done');
});

test('a package that was not compiled says what to do', () => {
  inFolder((folder) => {
    fs.cpSync(path.join(PACKAGE, 'lib'), path.join(folder, 'lib'), { recursive: true });
    assert.throws(
      () => run('-r', path.join(folder, 'lib/index.js'), '-e', '0'),
      /probestream: load .*probestream\.node: it was not compiled; run 'npm rebuild probestream'/,
    );
  });
});

test('without a C compiler it says how to get one', () => {
  inFolder((folder) => {
    assert.throws(() => build(path.join(folder, 'x.node'), { ...process.env, CC: '/missing/cc -O2' }), {
      message: /^probestream: start the C compiler '\/missing\/cc': ENOENT; install one .* then run 'npm rebuild probestream'$/,
    });
    assert.deepStrictEqual(fs.readdirSync(folder), []);
  });
});

test("what the compiler says is not swallowed, and leaves nothing behind", () => {
  inFolder((folder) => {
    assert.throws(() => build(path.join(folder, 'x.node'), process.env, ['-include', '/missing.h']), /compile .*missing\.h/s);
    assert.deepStrictEqual(fs.readdirSync(folder), []);
  });
});

test("it compiles against Node's own headers without a warning", (context) => {
  const headers = path.join(process.execPath, '../../include/node');
  if (!fs.existsSync(path.join(headers, 'node_api.h'))) {
    context.skip(`no headers in ${headers}`);
    return;
  }
  inFolder((folder) => {
    build(path.join(folder, 'x.node'), process.env, ['-Werror', '-DPROBESTREAM_NODE_HEADERS', '-isystem', headers]);
    build(path.join(folder, 'y.node'), process.env, ['-Werror']);
  });
});
