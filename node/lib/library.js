'use strict';
// The bytes of a shared object with one USDT probe:
//
//   in the file        loaded as
//   0                  r-x    ELF header, program headers, .hash, .dynsym, .dynstr, .text, .stapsdt.base
//   one page           rw-    .dynamic, .probes (the semaphore)
//   behind it          -      .note.stapsdt, .shstrtab, section headers
//
// Addresses are the same as offsets in the file. The semaphore has a page of the file to itself and .dynamic, since the
// kernel finds it by its offset in a mapping that can be written, and the probe in one that cannot.
// Formats: elf(5), System V gABI; of the note, see src/stapsdt.h.

const EM_X86_64 = 62;
const EM_AARCH64 = 183;

// A nop of five bytes on x64: Linux 6.18 and later put a call there for a probe, which costs a third less than a trap.
// The largest page of each: the dynamic linker refuses segments that are aligned to less than a page. `site` gets the
// address of the arguments' slots, eight bytes each, in the register of the first parameter.
const MACHINES = {
  x64: {
    machine: EM_X86_64,
    pageBytes: 0x1000,
    site: Buffer.from([0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3]), // nopl 0(%rax,%rax,1); ret
    argument: (bytes, offset) => `${bytes}@${offset}(%rdi)`,
  },
  arm64: {
    machine: EM_AARCH64,
    pageBytes: 0x10000,
    site: Buffer.from([0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6]), // nop; ret
    argument: (bytes, offset) => `${bytes}@[x0, ${offset}]`,
  },
};

const EHDR_BYTES = 64;
const PHDR_BYTES = 56;
const SHDR_BYTES = 64;
const SYM_BYTES = 24;
const DYN_BYTES = 16;
const SEMAPHORE_BYTES = 2;
const SLOT_BYTES = 8;

const PROGRAM_HEADERS = 4;
const DYNAMIC_ENTRIES = 6;

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_GNU_STACK = 0x6474e551;
const PF_X = 1;
const PF_W = 2;
const PF_R = 4;

const SHT_PROGBITS = 1;
const SHT_STRTAB = 3;
const SHT_HASH = 5;
const SHT_DYNAMIC = 6;
const SHT_NOTE = 7;
const SHT_DYNSYM = 11;
const SHF_WRITE = 1;
const SHF_ALLOC = 2;
const SHF_EXECINSTR = 4;

const DT_NULL = 0;
const DT_HASH = 4;
const DT_STRTAB = 5;
const DT_SYMTAB = 6;
const DT_STRSZ = 10;
const DT_SYMENT = 11;

const GLOBAL_FUNC = (1 << 4) | 2;
const GLOBAL_OBJECT = (1 << 4) | 1;

const NT_STAPSDT = 3;

/** Little-endian fields, one behind the other: [size in bytes, value] each. */
function fields(...sizesAndValues) {
  const bytes = Buffer.alloc(sizesAndValues.reduce((sum, [size]) => sum + size, 0));
  let at = 0;
  for (const [size, value] of sizesAndValues) {
    if (size === 8) bytes.writeBigUInt64LE(BigInt(value), at);
    else bytes.writeUIntLE(value, at, size);
    at += size;
  }
  return bytes;
}

/** A table of strings that begins with an empty one, and where each is in it. */
function strings(texts) {
  const offsets = [];
  let table = '\0';
  for (const text of texts) {
    offsets.push(table.length);
    table += `${text}\0`;
  }
  return { bytes: Buffer.from(table, 'latin1'), offsets };
}

const header = (machine, programHeaders, sectionHeaders, sectionHeadersAt, namesIndex) =>
  Buffer.concat([
    Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), // 64 bits, little-endian, version 1
    Buffer.alloc(9),
    fields([2, 3 /* ET_DYN */], [2, machine], [4, 1], [8, 0], [8, EHDR_BYTES], [8, sectionHeadersAt], [4, 0]),
    fields([2, EHDR_BYTES], [2, PHDR_BYTES], [2, programHeaders], [2, SHDR_BYTES], [2, sectionHeaders], [2, namesIndex]),
  ]);

const programHeader = (type, flags, offset, size, alignment) =>
  fields([4, type], [4, flags], [8, offset], [8, offset], [8, offset], [8, size], [8, size], [8, alignment]);

const symbol = (nameOffset, kind, section, address, size) =>
  fields([4, nameOffset], [1, kind], [1, 0], [2, section], [8, address], [8, size]);

/** One bucket that holds all symbols, chained: 1 is the first, 0 ends it. */
const hash = () => fields([4, 1], [4, 3], [4, 1], [4, 0], [4, 2], [4, 0]);

function note(siteAt, baseAt, semaphoreAt, provider, name, argumentsText) {
  const description = Buffer.concat([
    fields([8, siteAt], [8, baseAt], [8, semaphoreAt]),
    Buffer.from(`${provider}\0${name}\0${argumentsText}\0`, 'latin1'),
  ]);
  return Buffer.concat([
    fields([4, 8], [4, description.length], [4, NT_STAPSDT]),
    Buffer.from('stapsdt\0', 'latin1'),
    description,
    Buffer.alloc(-description.length & 3),
  ]);
}

/** Sections in the order of the file, each placed where the one before ends, or at `at`. */
class Layout {
  #sections = new Map();
  #end = EHDR_BYTES + PROGRAM_HEADERS * PHDR_BYTES;

  place(name, size, { type = SHT_PROGBITS, flags = 0, alignment = 8, link = 0, info = 0, entryBytes = 0, at } = {}) {
    const offset = at ?? Math.ceil(this.#end / alignment) * alignment;
    this.#sections.set(name, { size, type, flags, alignment, link, info, entryBytes, offset });
    this.#end = offset + size;
  }

  get names() {
    return [...this.#sections.keys()];
  }

  /** The section's offset in the file, which is its address, too. */
  offset(name) {
    return this.#sections.get(name).offset;
  }

  end(name) {
    return this.offset(name) + this.#sections.get(name).size;
  }

  /** Where the section headers are: behind everything else. */
  get headersAt() {
    return Math.ceil(this.#end / 8) * 8;
  }

  headers(nameOffsets) {
    return Buffer.concat([
      Buffer.alloc(SHDR_BYTES),
      ...[...this.#sections.values()].map((section, i) =>
        fields(
          [4, nameOffsets[i]],
          [4, section.type],
          [8, section.flags],
          [8, section.flags & SHF_ALLOC ? section.offset : 0],
          [8, section.offset],
          [8, section.size],
          [4, section.link],
          [4, section.info],
          [8, section.alignment],
          [8, section.entryBytes],
        ),
      ),
    ]);
  }
}

const SYMBOL_NAMES = strings(['site', 'semaphore']);
const SECTION_NAMES = strings([
  '.hash',
  '.dynsym',
  '.dynstr',
  '.text',
  '.stapsdt.base',
  '.dynamic',
  '.probes',
  '.note.stapsdt',
  '.shstrtab',
]);
// Places in the table of sections, which begins with an empty one; `link` and symbols name sections so.
const DYNSYM_INDEX = 2;
const DYNSTR_INDEX = 3;
const TEXT_INDEX = 4;
const PROBES_INDEX = 7;

function layOut(pageBytes, siteBytes, noteBytes) {
  const layout = new Layout();
  const read = SHF_ALLOC;
  const write = SHF_ALLOC | SHF_WRITE;
  layout.place('.hash', hash().length, { type: SHT_HASH, flags: read, link: DYNSYM_INDEX, entryBytes: 4 });
  layout.place('.dynsym', 3 * SYM_BYTES, {
    type: SHT_DYNSYM,
    flags: read,
    link: DYNSTR_INDEX,
    info: 1, // the first symbol that is not local
    entryBytes: SYM_BYTES,
  });
  layout.place('.dynstr', SYMBOL_NAMES.bytes.length, { type: SHT_STRTAB, flags: read, alignment: 1 });
  layout.place('.text', siteBytes, { flags: read | SHF_EXECINSTR, alignment: 16 });
  layout.place('.stapsdt.base', 1, { flags: read, alignment: 1 });
  layout.place('.dynamic', DYNAMIC_ENTRIES * DYN_BYTES, {
    type: SHT_DYNAMIC,
    flags: write,
    link: DYNSTR_INDEX,
    entryBytes: DYN_BYTES,
    at: pageBytes,
  });
  layout.place('.probes', SEMAPHORE_BYTES, { flags: write, alignment: 2 });
  layout.place('.note.stapsdt', noteBytes, { type: SHT_NOTE, alignment: 4 });
  layout.place('.shstrtab', SECTION_NAMES.bytes.length, { type: SHT_STRTAB, alignment: 1 });
  return layout;
}

function programHeaders(layout, pageBytes) {
  const dynamicAt = layout.offset('.dynamic');
  return Buffer.concat([
    programHeader(PT_LOAD, PF_R | PF_X, 0, layout.end('.stapsdt.base'), pageBytes),
    programHeader(PT_LOAD, PF_R | PF_W, dynamicAt, layout.end('.probes') - dynamicAt, pageBytes),
    programHeader(PT_DYNAMIC, PF_R | PF_W, dynamicAt, DYNAMIC_ENTRIES * DYN_BYTES, 8),
    programHeader(PT_GNU_STACK, PF_R | PF_W, 0, 0, 16), // without it the stack would become executable
  ]);
}

function symbols(layout, siteBytes) {
  const [siteName, semaphoreName] = SYMBOL_NAMES.offsets;
  return Buffer.concat([
    symbol(0, 0, 0, 0, 0),
    symbol(siteName, GLOBAL_FUNC, TEXT_INDEX, layout.offset('.text'), siteBytes),
    symbol(semaphoreName, GLOBAL_OBJECT, PROBES_INDEX, layout.offset('.probes'), SEMAPHORE_BYTES),
  ]);
}

function dynamic(layout) {
  const entry = (tag, value) => fields([8, tag], [8, value]);
  return Buffer.concat([
    entry(DT_HASH, layout.offset('.hash')),
    entry(DT_STRTAB, layout.offset('.dynstr')),
    entry(DT_SYMTAB, layout.offset('.dynsym')),
    entry(DT_STRSZ, SYMBOL_NAMES.bytes.length),
    entry(DT_SYMENT, SYM_BYTES),
    entry(DT_NULL, 0),
  ]);
}

/**
 * @param arch as in process.arch
 * @param argumentBytes the size of each argument, negative for a signed one; argument N is in slot N
 */
function library(arch, provider, name, argumentBytes) {
  const { machine, pageBytes, site, argument } = MACHINES[arch];
  const argumentsText = argumentBytes.map((bytes, i) => argument(bytes, i * SLOT_BYTES)).join(' ');
  const noteAbout = (...addresses) => note(...addresses, provider, name, argumentsText);
  const layout = layOut(pageBytes, site.length, noteAbout(0, 0, 0).length);
  const sectionHeaders = layout.headers(SECTION_NAMES.offsets);
  const sections = layout.names.length + 1;
  const parts = [
    [0, header(machine, PROGRAM_HEADERS, sections, layout.headersAt, sections - 1)],
    [EHDR_BYTES, programHeaders(layout, pageBytes)],
    [layout.offset('.hash'), hash()],
    [layout.offset('.dynsym'), symbols(layout, site.length)],
    [layout.offset('.dynstr'), SYMBOL_NAMES.bytes],
    [layout.offset('.text'), site],
    [layout.offset('.dynamic'), dynamic(layout)],
    [
      layout.offset('.note.stapsdt'),
      noteAbout(layout.offset('.text'), layout.offset('.stapsdt.base'), layout.offset('.probes')),
    ],
    [layout.offset('.shstrtab'), SECTION_NAMES.bytes],
    [layout.headersAt, sectionHeaders],
  ];
  const bytes = Buffer.alloc(layout.headersAt + sectionHeaders.length);
  for (const [offset, part] of parts) part.copy(bytes, offset);
  return bytes;
}

module.exports = { library };
