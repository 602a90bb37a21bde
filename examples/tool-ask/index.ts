import { definePlugin, defineTool, Tools, type QuestionForm } from "@gantry/sdk";
import { Type } from "typebox";

export const ask = defineTool({
  name: "ask_person",
  description: "Asks the person you work for a question, and gives their answer. Use it if you cannot know.",
  input: Type.Object({
    question: Type.String({ minLength: 1, maxLength: 1_000, examples: ["Which of the two?"] }),
    choices: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 60 }), { minItems: 2, maxItems: 10 }),
    ),
  }),
  // A person takes longer than a program.
  timeoutMs: 600_000,
  effects: () => ({}),
  async run({ args: { question, choices }, ask: askThem }) {
    if (!askThem) return { text: "Nobody can be asked here.", failed: true };
    const form: QuestionForm | undefined = choices && {
      type: "object",
      properties: { choice: { type: "string", enum: choices } },
      required: ["choice"],
    };
    const answer = await askThem({ text: question, ...(form && { form }) });
    if (answer.action !== "accept") return { text: `They did not answer (${answer.action}).`, failed: true };
    return String(answer.content["choice"] ?? answer.content["text"]);
  },
});

export default definePlugin({
  name: "tool-ask",
  summary: "ask_person: the model asks its person a question and waits for the answer.",
  provides: [Tools],
  setup(host) {
    host.provide(Tools, ask);
  },
});
