'use strict';
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { library } = require('../lib/library.js');

function readelf(arch, ...options) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'probestream-'));
  try {
    const file = path.join(folder, 'probe.so');
    fs.writeFileSync(file, library(arch, 'shop', 'checkout', [-8, 8, -4]));
    return execFileSync('readelf', ['-W', ...options, file], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

for (const [arch, machine, argumentsText] of [
  ['x64', 'Advanced Micro Devices X86-64', '-8@0(%rdi) 8@8(%rdi) -4@16(%rdi)'],
  ['arm64', 'AArch64', '-8@[x0, 0] 8@[x0, 8] -4@[x0, 16]'],
]) {
  test(`a library for ${arch} has one probe, as binutils reads it`, () => {
    const notes = readelf(arch, '-n');
    assert.match(notes, /stapsdt\s.*NT_STAPSDT/);
    assert.match(notes, /Provider: shop\n\s+Name: checkout\n/);
    assert.ok(notes.includes(`Arguments: ${argumentsText}\n`), notes);

    const [, site, base, semaphore] = /Location: 0x(\w+), Base: 0x(\w+), Semaphore: 0x(\w+)/.exec(notes);
    const symbols = readelf(arch, '-s', '-D');
    assert.match(symbols, new RegExp(`${site} .* FUNC .* site`));
    assert.match(symbols, new RegExp(`${semaphore} .* OBJECT .* semaphore`));
    assert.match(readelf(arch, '-S'), new RegExp(`\\.stapsdt\\.base +PROGBITS +${base}`));
  });

  test(`a library for ${arch} asks for no executable stack and no page that can be written and executed`, () => {
    const layout = readelf(arch, '-l', '-h');
    assert.ok(layout.includes(machine), layout);
    assert.match(layout, /GNU_STACK .* RW /);
    assert.match(layout, /LOAD .* R E /);
    assert.match(layout, /LOAD .* RW /);
    assert.doesNotMatch(layout, /RWE/);
  });
}
