// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// node_load.js SECONDS: two functions, the first with about three times the CPU time of the second. Prints their shares
// by its own count, as "truth PATH SHARE".
'use strict';

function spin(n) {
  let x = n;
  for (let i = 0; i < 20000; i++) x = (x * 1103515245 + 12345) & 0x7fffffff;
  return x;
}

function greyhound(n) { return spin(n) + 1; }
function tortoise(n) { return spin(n) + 2; }

const used = () => { const u = process.cpuUsage(); return u.user + u.system; };
const spent = { greyhound: 0, tortoise: 0 };
let sink = 0;

function run(name, f, times) {
  const before = used();
  for (let i = 0; i < times; i++) sink += f(i);
  spent[name] += used() - before;
}

for (let i = 0; i < 200; i++) { greyhound(i); tortoise(i); } // compile them before counting
const begin = used();
while (used() - begin < Number(process.argv[2]) * 1e6) {
  run('greyhound', greyhound, 300);
  run('tortoise', tortoise, 100);
}
const all = used();
for (const name of Object.keys(spent)) console.log('truth', name, (spent[name] / all).toFixed(6));
if (sink === 42) console.log('');
