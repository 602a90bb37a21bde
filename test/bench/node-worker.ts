// One node that answers what it claims: `node node-worker.ts URL`, or only holds it with `hold`
// behind.
import { laneOf } from "@gantry/sdk/fill";
import { textParts } from "@gantry/sdk";
import { handlesOn } from "../../plugins/store-postgres/clock.test-kit.ts";

const [url = "", how] = process.argv.slice(2);
const { store, nodes } = handlesOn(url, { name: `node-${process.pid}` }).connect();
const { lanes } = store;
const leaseMs = 60_000;
const atOnce = 256;

async function work(): Promise<void> {
  for (;;) {
    const claims = await lanes.claim(atOnce, leaseMs);
    if (claims.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    const answer = async (claim: (typeof claims)[number]): Promise<void> => {
      const text = "x".repeat(1_000);
      await lanes.answer(claim, text, laneOf(claim.message), [{ role: "user", parts: textParts(text) }]);
      await lanes.ack(claim);
    };
    await Promise.all(claims.map(answer));
  }
}

await nodes.serve();
process.stdout.write("ready\n");
if (how === "hold") {
  await lanes.claim(atOnce, leaseMs);
  process.stdout.write("held\n");
  setInterval(() => {}, 1_000);
} else await work();
