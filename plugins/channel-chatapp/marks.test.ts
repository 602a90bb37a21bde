import { plainText, readMarkdown } from "@gantry/sdk/channel";
import { fakeProvider, memoryStore } from "@gantry/sdk/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { delivery, message, startChatapp, startGraph } from "./chatapp.test-kit.ts";
import { renderChat } from "./render.ts";
import { readAnswer } from "./shown-text.test-kit.ts";

test.each([
  ["# Head", "*Head*"],
  ["**bold** and *it* and ~~gone~~", "*bold* and _it_ and ~gone~"],
  ["**two\nlines**", "*two*\n*lines*"],
  ["`code`", "`code`"],
  ["```js\nconst a = 1;\n```", "```\nconst a = 1;\n```"],
  ["[site](https://a.test)", "site (https://a.test)"],
  ["<https://a.test>", "https://a.test"],
  ["> said\n> twice", "> said\n> twice"],
  ["in**side**r", "insider"],
  ["2 * 3 and snake_case_name", "2 * 3 and snake_case_name"],
])("FLR-11: %j is shown in the platform's own marks", async (markdown, shown) => {
  expect(renderChat(await readMarkdown(markdown))).toBe(shown);
});

const signs = fc.constantFrom("*", "_", "~", "a", "b", " ", "\n", ".", "(", ")", "é", "😀");

test("FLR-11: signs of a text without forms are read as they stand", () => {
  fc.assert(
    fc.property(fc.string({ unit: signs, maxLength: 60 }), (text) => {
      expect(readAnswer(renderChat(plainText(text)))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("FLR-11: an answer goes out in the platform's marks", async () => {
  await using graph = await startGraph();
  const plugins = [memoryStore(), fakeProvider(["# Head\n\n**bold** [link](https://a.test)"])];
  await using chatapp = await startChatapp({ graph, plugins });
  await chatapp.deliver(delivery(message("hi")));
  await graph.count(1);
  expect(graph.calls[0]?.body.text.body).toBe("*Head*\n\n*bold* link (https://a.test)");
});

test("FLR-11: a message is marked as read, with the sign that an answer is written", async () => {
  await using graph = await startGraph();
  await using chatapp = await startChatapp({ graph });
  await chatapp.deliver(delivery(message("hi", { id: "wamid.seen" })));
  await expect.poll(() => graph.read).toEqual(["wamid.seen"]);
});

test("FLR-11: an answer arrives although the platform takes no sign", async () => {
  await using graph = await startGraph();
  graph.refusesSigns = true;
  await using chatapp = await startChatapp({ graph });
  await chatapp.deliver(delivery(message("hi")));
  await graph.count(1);
  expect(graph.calls[0]?.body.text.body).toBe("hello there");
});
