'use strict';
// Answers each line "DEPTH CALLS": calls the file system so often below DEPTH functions, and answers with the CPU time
// of the process, in nanoseconds.
const fs = require('fs');

function down(depth, calls) {
    if (depth > 1) {
        return down(depth - 1, calls) + 1;
    }
    const before = process.cpuUsage();
    for (let i = 0; i < calls; i++) {
        fs.fstatSync(1);
    }
    const taken = process.cpuUsage(before);
    return (taken.user + taken.system) * 1000;
}

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const [depth, calls] = line.split(' ').map(Number);
    console.log(String(down(depth, calls) - depth + 1));
});
console.log('ready');
