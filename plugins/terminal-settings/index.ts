import { definePlugin } from "@gantry/sdk";
import { Type } from "typebox";

export default definePlugin({
  name: "terminal-settings",
  summary: "[terminal]: the colours of a conversation in a terminal, and its status line.",
  table: "terminal",
  config: Type.Object({
    theme: Type.Union(
      [Type.Literal("auto"), Type.Literal("dark"), Type.Literal("light"), Type.Literal("none")],
      {
        default: "auto",
        description:
          "Which of the terminal's own 16 colours are used: those that are seen on dark or on light, or none. auto: light if COLORFGBG says so, else dark.",
      },
    ),
    status_line: Type.Boolean({
      default: true,
      description:
        "Write a line behind each answer: the model, how full its window is, the cost, the level of autonomy, tasks in the background.",
    }),
  }),
  // A conversation in a terminal reads the keys by `ConfigFile.get`.
  setup() {},
});
