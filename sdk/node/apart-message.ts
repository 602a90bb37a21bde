/** A message to work apart, or from it. */
export interface ApartMessage {
  /** As JSON says it. */
  readonly facts: unknown;
  readonly bytes?: Uint8Array;
}

/** Facts of more bytes are not parsed: that would hold the service up. What is large is bytes. */
export const MAX_FACTS: number = 8 * 1024 * 1024;

/** A process writes it before it reads its input: the input may have caused whatever follows. */
export const READY: Buffer = Buffer.from("ready\n");

const LINE_END = 10;

/** Returns the facts as one line, and the bytes below it. */
export function packMessage({ facts, bytes = new Uint8Array() }: ApartMessage): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`), bytes]);
}

/** Returns undefined for what is not a message, and for facts of more than `maxFacts` bytes. */
export function unpackMessage(data: Buffer, maxFacts: number): Required<ApartMessage> | undefined {
  const end = data.indexOf(LINE_END);
  if (end < 0 || end > maxFacts) return undefined;
  try {
    const facts: unknown = JSON.parse(data.toString("utf8", 0, end));
    return { facts, bytes: data.subarray(end + 1) };
  } catch {
    return undefined;
  }
}
