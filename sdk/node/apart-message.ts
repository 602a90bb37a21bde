/** What goes to work apart and comes from it. */
export interface ApartMessage {
  /** As JSON says it. */
  readonly facts: unknown;
  readonly bytes?: Uint8Array;
}

const LINE_END = 10;

/** Returns the facts as one line, and the bytes below it. */
export function packMessage({ facts, bytes = new Uint8Array() }: ApartMessage): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`), bytes]);
}

/** Returns undefined for what is no message. */
export function unpackMessage(data: Buffer): Required<ApartMessage> | undefined {
  const end = data.indexOf(LINE_END);
  try {
    const facts: unknown = JSON.parse(data.toString("utf8", 0, Math.max(0, end)));
    return { facts, bytes: data.subarray(end + 1) };
  } catch {
    return undefined;
  }
}
