import { writeSync } from "node:fs";
import { AuditLog } from "./audit-log.ts";
import { event } from "./event.test-kit.ts";

/**
 * A process of its own on a log: `node writer.test-kit.ts <file> [bytes]`. Writes until it is
 * stopped, and says each record that is on disk.
 */
const [path = "", bytes = "10"] = process.argv.slice(2);
const log = new AuditLog({
  path,
  retentionDays: 30,
  rotateBytes: 20_000,
  patienceMs: 120_000,
  warn: (_, message) => process.stderr.write(`${message}\n`),
});

for (let n = 0; ; n++) {
  const ids = Array.from({ length: 1 + (n % 4) }, (_, part) => `${process.pid}-${n}-${part}`);
  try {
    await Promise.all(
      ids.map((id) => log.write(event({ session_id: id, args: { command: "x".repeat(Number(bytes)) } }))),
    );
    for (const id of ids) writeSync(1, `wrote ${id}\n`);
  } catch (error) {
    writeSync(1, `failed ${(error as { code: string }).code}\n`);
    await new Promise((resolve) => process.stdin.once("data", resolve));
  }
}
