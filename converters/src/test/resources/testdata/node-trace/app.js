const http=require('http'),fs=require('fs'),{performance}=require('perf_hooks');
const s=http.createServer((q,r)=>{performance.mark('a');fs.readFile(__filename,()=>{performance.mark('b');performance.measure('m','a','b');r.end('hi')})}).listen(0,()=>{
 let n=0; const go=()=>http.get({port:s.address().port,path:'/x?n='+n},r=>{r.resume();r.on('end',()=>{if(++n<5)go();else {s.close();if(global.gc)gc();console.time('x');console.timeEnd('x')}})}); go();});
