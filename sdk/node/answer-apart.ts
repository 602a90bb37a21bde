import { readSync, writeSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Awaitable } from "../contract/awaitable.ts";
import type { Confining } from "../tools/sandbox.ts";
import { type ApartMessage, packMessage, READY, unpackMessage } from "./apart-message.ts";

const PIECE = 64 * 1024;

/**
 * Does the one work of a process that `workApart` started, and ends the process. The walls stand
 * before the first byte of the input is read, so `work` can load nothing: whatever it needs is
 * imported beforehand, and it waits for no file and no thread.
 */
export async function answerApart(
  work: (asked: Required<ApartMessage>) => Awaitable<ApartMessage>,
): Promise<void> {
  const confining = process.argv[2];
  const walls = confining === undefined ? undefined : ((await import(confining)) as Confining);
  // The event loop registers its descriptors by io_uring, which the walls close.
  await setImmediate();
  const end = walls?.confine() ?? ((code: number) => process.exit(code));
  write(1, READY);
  try {
    write(1, packMessage(await work(unpackMessage(readAll(0), Infinity)!)));
  } catch {
    return end(1);
  }
  end(0);
}

function readAll(fd: number): Buffer {
  const pieces: Buffer[] = [];
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE);
    const bytes = readSync(fd, piece);
    if (bytes === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, bytes));
  }
}

function write(fd: number, data: Buffer): void {
  for (let at = 0; at < data.length;) at += writeSync(fd, data, at);
}
