import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { cachingServer } from "../helpers/caching-server.ts";
import { pairedGateway, post } from "./paired-gateway.ts";
import { atMost, type Row } from "./row.ts";

const turns = 50;

/**
 * Measures the cost of a conversation over HTTP on a model with a cache, in which every fourth turn
 * reads a file.
 */
export async function conversationCostRows(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const format of ["custom", "messages-custom"]) {
    const { billed, ideal, bytes, ms } = await conversation(format);
    rows.push(
      atMost(
        `${turns} turns, ${format}: tokens billed, to those of a perfect cache`,
        billed / ideal,
        1.15,
        "x",
      ),
      atMost(`${turns} turns, ${format}: bytes sent`, bytes / 1_048_576, 4, " MiB"),
      atMost(`${turns} turns, ${format}: a turn, on a model that answers at once`, ms, 25, " ms"),
    );
  }
  return rows;
}

async function conversation(
  format: string,
): Promise<{ billed: number; ideal: number; bytes: number; ms: number }> {
  await using server = await cachingServer();
  await using gateway = await pairedGateway(async (dir) => {
    const workspace = path.join(dir, "workspace");
    await mkdir(workspace);
    await writeFile(path.join(workspace, "a.txt"), "a line of a file\n".repeat(100));
    return [
      `default_provider = "${format}:${server.url}"\ndefault_model = "m"\napi_key = "key"`,
      `[security]\nworkspace_path = "${workspace}"`,
    ].join("\n");
  });
  const headers = await gateway.pair();
  const began = performance.now();
  for (let i = 0; i < turns; i += 1) {
    const message = i % 4 === 3 ? `${i}: read a.txt` : `${i}: ${"and now? ".repeat(10)}`;
    await post({ url: `${gateway.url}/api/chat`, body: { message, session_id: "one" }, headers });
  }
  return { ...server.bill(), ms: (performance.now() - began) / turns };
}
