import type { HostCommand } from "./host-command.ts";

const json = { flags: "--json", summary: "print JSON" };

export const hostCommands: readonly HostCommand[] = [
  {
    name: "agent",
    summary: "talk to the agent: one message, given or piped in, else a conversation",
    args: ["[message...]"],
    options: [
      {
        flags: "-m, --message <text>",
        summary: "one turn: the answer on stdout, everything else on stderr; - reads the message from stdin",
      },
      { flags: "--provider <id>", summary: "use this provider instead of the configured one" },
      { flags: "--model <name>", summary: "use this model instead of the configured one" },
      { flags: "--session <id>", summary: "continue this conversation, or begin one of this name" },
      { flags: "--continue", summary: "continue the last conversation of this terminal" },
      {
        flags: "--resume [id]",
        summary: "continue this conversation, which must be there; without an id: pick one",
      },
      {
        flags: "-C, --workspace <dir>",
        summary: "work in this folder instead of the configured workspace",
      },
      {
        flags: "--image <file>",
        summary: "show the model this picture, with the message or the first one; may be repeated",
        repeatable: true,
      },
      { flags: "--yes", summary: "approve what would be asked, never what is refused" },
      { flags: "--json", summary: "print one JSON object (with one message)" },
      {
        flags: "--json-stream",
        summary: "print every event of the turn as a line of JSON (with one message)",
      },
      {
        flags: "--watch",
        summary: "start again, same conversation, when the configuration or a plugin under work changes",
      },
    ],
    // Nobody but the person at the terminal begins work here, so nobody's standing is asked.
    unused: ["commands", "routes", "services", "checks", "config-editor", "message-worker", "standings"],
    needsVariables: true,
    load: () => import("./agent.ts"),
  },
  {
    name: "daemon",
    summary: "run everything: gateway, channels, timers; stops on SIGTERM",
    options: [
      { flags: "--watch", summary: "start again when the configuration or a plugin under work changes" },
    ],
    needsVariables: true,
    load: () => import("./daemon.ts"),
  },
  {
    name: "config init",
    summary: "write a commented config.toml; never overwrites one",
    load: async () => ({ run: (await import("./config.ts")).init }),
  },
  {
    name: "config get",
    summary: "print the value that a key has, defaults included",
    args: ["<key>"],
    options: [{ flags: "--show-secret", summary: "print secrets as they are" }, json],
    load: async () => ({ run: (await import("./config.ts")).get }),
  },
  {
    name: "config set",
    summary: "change a key in config.toml, or several at once; comments and layout stay",
    args: ["<key>", "<value>", "[keys-and-values...]"],
    load: async () => ({ run: (await import("./config.ts")).set }),
  },
  {
    name: "config unset",
    summary: "take keys out of config.toml, so that their defaults hold again",
    args: ["<key>", "[keys...]"],
    load: async () => ({ run: (await import("./config.ts")).unset }),
  },
  {
    name: "config reload",
    summary: "have the running service apply config.toml as it is now; says what takes a restart",
    load: () => import("./reload.ts"),
  },
  {
    name: "config schema",
    summary: "print a JSON Schema of config.toml, for editors",
    load: async () => ({ run: (await import("./config.ts")).schema }),
  },
  {
    name: "plugins list",
    summary: "the plugins that are loaded, and those that could be",
    options: [json],
    load: async () => ({ run: (await import("./plugins.ts")).list }),
  },
  {
    name: "plugins inspect",
    summary:
      "what a plugin needs, provides, taps and configures, without running it: by name, or a path not yet listed",
    args: ["<name>"],
    options: [json],
    load: async () => ({ run: (await import("./plugins.ts")).inspect }),
  },
  {
    name: "tools list",
    summary: "the tools that a model is offered",
    options: [json],
    load: async () => ({ run: (await import("./tools.ts")).list }),
  },
  {
    name: "tools call",
    summary: "run one tool as a model would, through every guard: the result on stdout",
    args: ["<tool>", "[json]"],
    options: [
      { flags: "--yes", summary: "approve what would be asked, never what is refused" },
      {
        flags: "--session <id>",
        summary:
          "call it in this conversation of such calls, or in a new one of this name, which holds nothing yet; default: one for all",
      },
    ],
    needsVariables: true,
    load: async () => ({ run: (await import("./tools.ts")).call }),
  },
  {
    name: "policy explain",
    summary: "what every guard would decide about a tool call; runs nothing",
    args: ["[tool]", "[json]"],
    options: [
      { flags: "--batch <file>", summary: 'read lines {"tool":…,"args":{…}} from a file, or - for stdin' },
      { flags: "--json", summary: "print one JSON object a line" },
    ],
    load: () => import("./policy.ts"),
  },
];
