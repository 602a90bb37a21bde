import { ChatCommands, definePlugin, textParts } from "@gantry/sdk";
import { Type } from "typebox";

const Prompt = Type.Object(
  {
    say: Type.String({
      default: "",
      description: "What is said to the model; what stands behind the word comes after it.",
    }),
    how: Type.String({ default: "", description: "Added to the system prompt of that turn." }),
  },
  { default: {} },
);

export default definePlugin({
  name: "words-prompts",
  summary: "Each [plugins_config.words-prompts.prompts.NAME] is a word /NAME that begins a turn.",
  config: Type.Object({
    prompts: Type.Record(Type.String({ pattern: "^[a-z][a-z0-9-]{0,31}$" }), Prompt, {
      default: {},
      description: "The prompts, by their words.",
    }),
  }),
  provides: [ChatCommands],
  setup(host) {
    for (const [name, { say, how }] of Object.entries(host.config.prompts))
      host.provide(ChatCommands, {
        name,
        summary: say.split("\n", 1)[0] || name,
        args: "[more]",
        run: ({ args }) => {
          const text = [say, args].filter((part) => part !== "").join("\n\n");
          if (text === "") return `/${name} says nothing: write something behind it.`;
          return { prompt: textParts(text), ...(how !== "" && { system: how }) };
        },
      });
  },
});
