import { ioctl } from "../kernel/kernel.ts";

const SEND = 0xc0182101;
const CONTINUE = 1;

/**
 * Answers what a filter asks: the kernel goes on with the call, or it ends with an error number or
 * with 0.
 */
export function respond(listener: number, id: bigint, decision: "continue" | number): void {
  const response = new DataView(new ArrayBuffer(24));
  response.setBigUint64(0, id, true);
  response.setInt32(16, decision === "continue" ? 0 : -decision, true);
  response.setUint32(20, decision === "continue" ? CONTINUE : 0, true);
  try {
    ioctl(listener, SEND, new Uint8Array(response.buffer));
  } catch {
    // The asking thread was killed while it waited.
  }
}
