import { definePlugin, ToolQuestions } from "@gantry/sdk";
import { errors } from "./errors.ts";
import { OpenQuestions } from "./questions.ts";

export default definePlugin({
  name: "ask-words",
  summary: "Puts what running tools ask to the person of the turn, and takes the answers.",
  provides: [ToolQuestions],
  errors,
  setup({ provide }) {
    provide(ToolQuestions, new OpenQuestions());
  },
});
