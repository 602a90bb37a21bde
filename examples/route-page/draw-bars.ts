import { crc32, deflateSync } from "node:zlib";

const height = 100;
const barWidth = 10;

/** Numbers from 0 to 100 as black bars on white: a PNG of one grey byte a pixel. */
export function drawBars(numbers: readonly number[]): Uint8Array {
  const width = numbers.length * barWidth;
  const rows = Buffer.alloc(height * (width + 1), 0xff);
  for (let y = 0; y < height; y += 1) {
    const row = y * (width + 1);
    rows[row] = 0;
    for (const [i, number] of numbers.entries())
      if (height - y <= number) rows.fill(0, row + 2 + i * barWidth, row + (i + 1) * barWidth);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  frame.set(body, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}
