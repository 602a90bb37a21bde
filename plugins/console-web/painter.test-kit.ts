import { ask } from "@gantry/sdk";
import type { Plugin, Tried, WordsWanted } from "@gantry/sdk";
import { guard, tool } from "../../test/helpers/plugins.ts";

/** What the tool asks its person for, by the words that it is to paint. */
const questions: Readonly<Record<string, WordsWanted>> = {
  "freely what I say": { text: "Which <b>colour</b>?" },
  "freely by a form": {
    text: "How should it be?",
    form: {
      type: "object",
      properties: {
        colour: { type: "string", description: "Colour", enum: ["red", "green"] },
        coats: { type: "integer", description: "Coats" },
        glossy: { type: "boolean", description: "Glossy" },
      },
      required: ["colour", "coats"],
    },
    url: "https://paint.example/colours",
  },
};

/** A run that was tried: nobody sees the wall before a yes. */
function triedWall(ran: string[], words: string): Tried {
  const diff = `--- wall.txt\n+++ wall.txt\n@@ -1 +1 @@\n-as it was\n+${words}`;
  return {
    preview: { text: "Tried first: it changed wall.txt.", diff },
    async take() {
      ran.push("the wall");
      return "painted the wall";
    },
    drop: async () => void ran.push("no wall"),
  };
}

/** Returns a tool that asks, and the guard that has its calls asked; `ran` gets what it did. */
export function painter(ran: string[]): readonly Plugin[] {
  const paint = tool(
    "paint",
    async ({ args, progress, ask: question }) => {
      progress?.({ done: 1, total: 2, text: "mixing" });
      const wanted = questions[String(args["words"])];
      if (wanted) ran.push(JSON.stringify(await question?.(wanted)));
      ran.push(String(args["words"]));
      return `painted ${String(args["words"])}`;
    },
    {
      preview: ({ words }) => `paint ${String(words)}`,
      tryFirst: async ({ args: { words } }) =>
        String(words).includes("a wall") ? triedWall(ran, String(words)) : undefined,
    },
  );
  const asking = guard("asking", ({ args }) =>
    String(args["words"]).includes("freely")
      ? undefined
      : ask({ code: "PAINT_ASKS", message: "Paint cannot be taken back." }),
  );
  return [paint, asking];
}
