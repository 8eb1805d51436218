'use strict';
// Compiles src/ into build/probestream.node with the machine's C compiler ($CC, else cc). It needs no header of Node.js:
// src/node_api_subset.h declares what is used, and the ABI of Node-API is the same in every version.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const SOURCES = ['module.c', 'node_probes.c', 'gc_probes.c', 'request_contexts.c', 'user_probes.c'];
const FLAGS = ['-std=gnu11', '-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-pthread', '-Wall', '-Wextra'];
// src/stapsdt.h explains why.
if (process.arch === 'x64') FLAGS.push('-mno-red-zone');
const HOW_TO_GET_A_COMPILER =
  "install one ('apt-get install gcc libc6-dev', 'dnf install gcc', 'apk add gcc musl-dev') or name it in CC, " +
  "then run 'npm rebuild probestream'";

/** Compiles into `file`, which appears whole or not at all. Throws an Error that says what to do. */
function build(file, environment = process.env, moreFlags = []) {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw new Error(
      `probestream: USDT probes need Linux on x64 or arm64, this is ${process.platform} on ${process.arch}; ` +
        'make it one of optionalDependencies if your program runs elsewhere too',
    );
  }
  const [compiler, ...arguments_] = (environment.CC || 'cc').trim().split(/\s+/);
  const sources = SOURCES.map((name) => path.join(__dirname, 'src', name));
  const unfinished = `${file}.${process.pid}`;
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const run = spawnSync(compiler, [...arguments_, ...FLAGS, ...moreFlags, '-o', unfinished, ...sources, '-ldl'], {
    encoding: 'utf8',
    env: environment,
  });
  if (run.error) {
    throw new Error(`probestream: start the C compiler '${compiler}': ${run.error.code}; ${HOW_TO_GET_A_COMPILER}`);
  }
  if (run.status !== 0) {
    fs.rmSync(unfinished, { force: true });
    throw new Error(`probestream: compile ${sources.join(' ')} with '${compiler}':\n${run.stderr}`);
  }
  fs.renameSync(unfinished, file);
}

if (require.main === module) {
  try {
    build(path.join(__dirname, 'build', 'probestream.node'));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

module.exports = { build };
