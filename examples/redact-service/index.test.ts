import { checkPlugin, fakeNet, fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

const url = "https://redact.example.com/text";
const config = { security: { redact_for_owner: true } };

/** A service that knows one name. */
const service = () =>
  fakeNet([
    {
      url,
      replies: [
        ({ body }) => {
          const { text } = JSON.parse(String(body)) as { readonly text: string };
          return { json: { text: text.replaceAll("Ada Lovelace", "[a person]") } };
        },
      ],
    },
  ]);

test("SDK-21: a service takes a name out of the answer, its stream and the audit", async () => {
  const model = fakeProvider(["It was Ada Lovelace who said so."]);
  await using t = await startTestHost({ plugins: [plugin, service(), model], config });
  let streamed = "";
  const { reply } = await t.ask("Who?", {
    onEvent: (event) => (streamed += event.type === "delta" ? event.text : ""),
  });
  expect([reply, streamed]).toEqual(Array(2).fill("It was [a person] who said so."));
});

test("SDK-21: nothing is said while the service is away", async () => {
  const model = fakeProvider(["It was Ada Lovelace who said so."]);
  await using t = await startTestHost({ plugins: [plugin, fakeNet([]), model], config });
  const { reply, error } = await t.ask("Who?");
  expect([reply, error?.code]).toEqual(["", "REDACTION_FAILED"]);
});

test("SDK-21: the redactor keeps the contract of its kind", async () => {
  const { findings } = await checkPlugin({ plugin, with: [service()] });
  expect(findings).toEqual([]);
});
