import { definePlugin } from "@gantry/sdk";
import { TerminalLook } from "@gantry/sdk/fill";
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
  provides: [TerminalLook],
  setup(host) {
    const { theme, status_line: statusLine } = host.config;
    host.provide(TerminalLook, { theme, statusLine });
  },
});
