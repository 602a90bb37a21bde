import { directMessage, textParts } from "@gantry/sdk";
import { laneOf } from "@gantry/sdk/fill";
import { describe, expect, test, vi } from "vitest";
import { programs } from "../../test/helpers/programs.ts";
import { handlesOn } from "./clock.test-kit.ts";
import { startPostgres } from "./server.test-kit.ts";

const postgres = programs("initdb");
const messages = 256;

describe.runIf(postgres.here)(`questions to the database${postgres.why}`, () => {
  test("SCL-05: 256 messages of 256 lanes go each step of their way in one question, as one does", async () => {
    const server = await startPostgres();
    const { connect, close } = handlesOn(await server.database());
    const { db, store } = connect();
    const { lanes } = store;
    const call = vi.spyOn(db, "call");
    const asked = (name: string): number => call.mock.calls.filter(([one]) => one === name).length;
    const all = Array.from({ length: messages }, (_, n) =>
      directMessage({ channel: "t", id: `${n}`, from: `s${n}`, text: `${n}`, trust: "owner" }),
    );
    await Promise.all(all.map((one) => lanes.accept([one])));
    const claims = await lanes.claim(messages, 60_000);
    await Promise.all(
      claims.map((claim) =>
        lanes.answer(claim, "yes", laneOf(claim.message), [{ role: "user", parts: textParts("hi") }]),
      ),
    );
    await Promise.all(claims.map((claim) => lanes.ack(claim)));
    expect(claims).toHaveLength(messages);
    const steps = ["gantry_accept", "gantry_claim", "gantry_answer", "gantry_ack"];
    expect(steps.map((step) => [step, asked(step)])).toEqual(steps.map((step) => [step, 1]));
    await close();
    await server.stop();
  });
});
