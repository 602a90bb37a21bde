// Loaded before everything else in a process whose work is counted. It writes the counts to
// descriptor 3 at SIGUSR2 and at the end, and leaves a mark in the trace of system calls each time.
const { accessSync, statSync, writeSync } = require("node:fs");
const { registerHooks } = require("node:module");
const { fileURLToPath } = require("node:url");
const { getHeapStatistics } = require("node:v8");
const { DatabaseSync, StatementSync } = require("node:sqlite");

/**
 * The clock and the timers of the process go so much slower: what is done by the clock falls out of
 * the count, however long a turn takes on a machine that does other things. Short timers belong to
 * the work.
 */
const slower = 50;
const shortMs = 50;
const soon = setTimeout;
slow(Date, "now");
slow(performance, "now");
const hrtime = process.hrtime.bigint;
const hrtimeBegan = hrtime();
process.hrtime.bigint = () => hrtimeBegan + (hrtime() - hrtimeBegan) / BigInt(slower);
for (const name of ["setTimeout", "setInterval"]) {
  const original = globalThis[name];
  globalThis[name] = (work, ms, ...rest) => original(work, ms > shortMs ? ms * slower : ms, ...rest);
}

function slow(clock, name) {
  const original = clock[name].bind(clock);
  const began = original();
  clock[name] = () => began + Math.floor((original() - began) / slower);
}

const modules = {};
const statements = {};
let ran = 0;

registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) modules[fileURLToPath(url)] = statSync(new URL(url)).size;
    return next(url, context);
  },
});

const texts = new WeakMap();
const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function (text, ...rest) {
  const statement = prepare.call(this, text, ...rest);
  texts.set(statement, text);
  return statement;
};
counted(DatabaseSync.prototype, "exec", (_, [text]) => text);
for (const name of ["get", "all", "run", "iterate"])
  counted(StatementSync.prototype, name, (statement) => texts.get(statement));

function counted(prototype, name, textOf) {
  const original = prototype[name];
  prototype[name] = function (...args) {
    const text = textOf(this, args);
    statements[text] = (statements[text] ?? 0) + 1;
    ran += 1;
    return original.apply(this, args);
  };
}

let marks = 0;

function tell() {
  const { used_heap_size: heap } = getHeapStatistics();
  try {
    // No such file: the trace tells where it was looked for.
    accessSync(`/gantry-budget/${(marks += 1)}`);
  } catch {}
  const builtins = process.moduleLoadList.map((name) => name.replace("NativeModule ", "node:"));
  writeSync(3, `${JSON.stringify({ heap, modules, builtins, statements })}\n`);
}

/**
 * Calls back once no statement was run for a moment: what a turn leaves to be done after its answer
 * is its own.
 */
function whenQuiet(done, before = -1) {
  if (before === ran) return done();
  const now = ran;
  soon(() => whenQuiet(done, now), 20);
}

process.on("SIGUSR2", () => whenQuiet(tell));
process.on("exit", tell);
