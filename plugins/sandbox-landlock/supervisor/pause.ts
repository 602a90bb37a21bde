const never = new Int32Array(new SharedArrayBuffer(4));

/** Holds this thread, which has no event loop to wait in. */
export function pause(ms: number): void {
  Atomics.wait(never, 0, 0, ms);
}
