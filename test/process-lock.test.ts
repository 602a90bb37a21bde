import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { ProcessLock } from "@gantry/sdk/node";
import { tempDir } from "./helpers/temp-dir.ts";

test("CLI-04: of many who find a lock whose holder was killed, one takes it", async () => {
  using home = tempDir();
  const file = path.join(home.dir, "serving.lock");
  for (let round = 0; round < 100; round++) {
    writeFileSync(file, "999999999 1");
    const tries = Array.from({ length: 12 }, () =>
      ProcessLock.take(file, (pid) => new Error(`held by ${pid}`)),
    );
    const taken = (await Promise.allSettled(tries)).flatMap((attempt) =>
      attempt.status === "fulfilled" ? [attempt.value] : [],
    );
    expect(taken).toHaveLength(1);
    await taken[0]?.release();
  }
});
