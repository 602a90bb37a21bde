/**
 * The kernel's words for GPIO, second version of the character device (Linux 5.10): numbers of the
 * calls and layout of their structures, as include/uapi/linux/gpio.h has them. Little-endian, as
 * all machines that this runs on.
 */

export const sizes = { chipInfo: 68, lineInfo: 256, lineRequest: 592, lineValues: 16 } as const;

export const requests = {
  chipInfo: 0x8044_b401,
  lineInfo: 0xc100_b405,
  line: 0xc250_b407,
  getValues: 0xc010_b40e,
  setValues: 0xc010_b40f,
} as const;

export const flags = {
  used: 1 << 0,
  activeLow: 1 << 1,
  input: 1 << 2,
  output: 1 << 3,
  pullUp: 1 << 8,
  pullDown: 1 << 9,
  biasOff: 1 << 10,
} as const;

const OUTPUT_VALUES = 2;
const NAME_BYTES = 32;

/** The offsets of the fields, in bytes. */
const chipInfoAt = { label: 32, lines: 64 };
const lineInfoAt = { consumer: 32, offset: 64, flags: 72 };
const requestAt = { consumer: 256, flags: 288, attributes: 296, attribute: 320, lines: 560, fd: 588 };
const attributeAt = { id: 0, values: 8, mask: 16 };

export interface ChipInfo {
  readonly label: string;
  readonly lines: number;
}
export interface LineInfo {
  readonly used: boolean;
  /** The holder of the line; empty if the kernel does not tell. */
  readonly consumer: string;
}
export interface LineRequest {
  readonly offset: number;
  readonly consumer: string;
  readonly flags: number;
  /** For outputs: the value that the line has from the start. */
  readonly value?: 0 | 1;
}

export function readChipInfo(bytes: Uint8Array): ChipInfo {
  return { label: textAt(bytes, chipInfoAt.label), lines: view(bytes).getUint32(chipInfoAt.lines, true) };
}

export function lineInfoOf(offset: number): Uint8Array {
  const bytes = new Uint8Array(sizes.lineInfo);
  view(bytes).setUint32(lineInfoAt.offset, offset, true);
  return bytes;
}

export function readLineInfo(bytes: Uint8Array): LineInfo {
  const set = view(bytes).getBigUint64(lineInfoAt.flags, true);
  return { used: (set & BigInt(flags.used)) !== 0n, consumer: textAt(bytes, lineInfoAt.consumer) };
}

/** One line a request, so that each is held and let go by itself. */
export function lineRequest({ offset, consumer, flags: set, value }: LineRequest): Uint8Array {
  const bytes = new Uint8Array(sizes.lineRequest);
  const at = view(bytes);
  at.setUint32(0, offset, true);
  bytes.set(Buffer.from(consumer).subarray(0, NAME_BYTES - 1), requestAt.consumer);
  at.setBigUint64(requestAt.flags, BigInt(set), true);
  if (value !== undefined) {
    at.setUint32(requestAt.attributes, 1, true);
    at.setUint32(requestAt.attribute + attributeAt.id, OUTPUT_VALUES, true);
    at.setBigUint64(requestAt.attribute + attributeAt.values, BigInt(value), true);
    at.setBigUint64(requestAt.attribute + attributeAt.mask, 1n, true);
  }
  at.setUint32(requestAt.lines, 1, true);
  return bytes;
}

/** The descriptor of the line that the kernel handed out. */
export function descriptorIn(request: Uint8Array): number {
  return view(request).getInt32(requestAt.fd, true);
}

/** The value of the first line of a request. */
export function lineValues(value: 0 | 1): Uint8Array {
  const bytes = new Uint8Array(sizes.lineValues);
  const at = view(bytes);
  at.setBigUint64(0, BigInt(value), true);
  at.setBigUint64(8, 1n, true);
  return bytes;
}

export function readValue(values: Uint8Array): 0 | 1 {
  return (view(values).getBigUint64(0, true) & 1n) === 1n ? 1 : 0;
}

function view({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

function textAt(bytes: Uint8Array, from: number): string {
  const field = bytes.subarray(from, from + NAME_BYTES);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end));
}
