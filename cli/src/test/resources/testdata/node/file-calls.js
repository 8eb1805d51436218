'use strict';
// Does what its standard input says, line by line, and answers "done" each time:
//   sync FOLDER    every call of the file system once, synchronously, on files below FOLDER
//   async FOLDER   the same asynchronously, one after the other
const fs = require('fs');
const promises = fs.promises;

function sync(folder) {
  const file = folder + '/s';
  const fd = fs.openSync(file, 'w+', 0o640);
  fs.writeSync(fd, Buffer.from('hello'), 0, 5, 0);
  fs.readSync(fd, Buffer.alloc(3), 0, 3, 1);
  fs.fstatSync(fd);
  fs.ftruncateSync(fd, 4);
  fs.fchmodSync(fd, 0o600);
  fs.fchownSync(fd, process.getuid(), process.getgid());
  fs.fsyncSync(fd);
  fs.fdatasyncSync(fd);
  fs.futimesSync(fd, 1, 2);
  fs.closeSync(fd);
  fs.lstatSync(file);
  fs.accessSync(file, 4);
  fs.chmodSync(file, 0o644);
  fs.chownSync(file, process.getuid(), process.getgid());
  fs.lchownSync(file, process.getuid(), process.getgid());
  fs.utimesSync(file, 1, 2);
  fs.lutimesSync(file, 1, 2);
  fs.linkSync(file, file + '.link');
  fs.symlinkSync(file, file + '.symlink');
  fs.readlinkSync(file + '.symlink');
  fs.realpathSync.native(file);
  fs.renameSync(file + '.link', file + '.renamed');
  fs.unlinkSync(file + '.renamed');
  fs.mkdirSync(file + '.folder', 0o750);
  fs.readdirSync(file + '.folder');
  const open = fs.opendirSync(file + '.folder');
  open.readSync();
  open.closeSync();
  fs.rmdirSync(file + '.folder');
  fs.mkdtempSync(file + '.new');
  fs.copyFileSync(file, file + '.copy', 1);
  try {
    fs.openSync(folder + '/none', 'r');
  } catch (expected) {
    // ENOENT
  }
}

async function async(folder) {
  const file = folder + '/a';
  const handle = await promises.open(file, 'w+', 0o640);
  await handle.write(Buffer.from('hello'), 0, 5, 0);
  await handle.read(Buffer.alloc(3), 0, 3, 1);
  await handle.stat();
  await handle.truncate(4);
  await handle.chmod(0o600);
  await handle.chown(process.getuid(), process.getgid());
  await handle.sync();
  await handle.datasync();
  await handle.utimes(1, 2);
  await handle.close();
  await promises.lstat(file);
  await promises.access(file, 4);
  await promises.chmod(file, 0o644);
  await promises.chown(file, process.getuid(), process.getgid());
  await promises.lchown(file, process.getuid(), process.getgid());
  await promises.utimes(file, 1, 2);
  await promises.lutimes(file, 1, 2);
  await promises.link(file, file + '.link');
  await promises.symlink(file, file + '.symlink');
  await promises.readlink(file + '.symlink');
  await promises.realpath(file);
  await promises.rename(file + '.link', file + '.renamed');
  await promises.unlink(file + '.renamed');
  await promises.mkdir(file + '.folder', 0o750);
  await promises.readdir(file + '.folder');
  const open = await promises.opendir(file + '.folder');
  await open.read();
  await open.close();
  await promises.rmdir(file + '.folder');
  await promises.mkdtemp(file + '.new');
  await promises.copyFile(file, file + '.copy', 1);
  await promises.open(folder + '/none', 'r').catch(() => {});
}

const commands = { sync, async };

require('readline')
  .createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const [command, folder] = line.split(' ');
    await commands[command](folder);
    console.log('done');
  })
  .on('close', () => process.exit(0));
console.log('ready');
