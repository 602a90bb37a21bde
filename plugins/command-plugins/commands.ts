import type { Command } from "@gantry/sdk";
import type { PluginNeeds } from "./needs.ts";

/** Each word's code is imported when it is run. */
export function pluginCommands(needs: PluginNeeds, templates: URL): readonly Command[] {
  return [
    {
      name: "plugins new",
      despiteProblems: true,
      summary:
        "write a plugin to start from, with its test: audit, budget, channel, chat-command, command, guard, history, memory, observer, prompt, provider, redactor, route, scheduler, store, tool or tool-source",
      args: ["<kind>", "<name>"],
      options: [
        { flags: "--dir <folder>", summary: "where the plugin's folder is made; default: here" },
        { flags: "--bundle", summary: "with a build that puts packages of its own into one file" },
      ],
      run: async (run) => (await import("./new-plugin.ts")).newPlugin(run, templates, needs.runtime.version),
    },
    {
      name: "plugins check",
      despiteProblems: true,
      summary:
        "try a plugin against the contract of its kind and say what is wrong, with the cure; runs its code",
      args: ["<path>"],
      options: [
        { flags: "--config <file>", summary: "the keys to try it with, written as in config.toml" },
        {
          flags: "--with <path>",
          summary: "a plugin beside it, which fills what it needs; may be repeated",
          repeatable: true,
        },
        { flags: "--stated", summary: "read its package.json alone, and run none of its code" },
        { flags: "--json", summary: "print one JSON object" },
      ],
      run: async (run) =>
        run.options["stated"] === true
          ? (await import("./check-stated.ts")).checkStated(run)
          : (await import("./check.ts")).check(run, needs.runtime),
    },
    {
      name: "plugins add",
      despiteProblems: true,
      summary:
        "install a plugin from a registry or a tarball under the configuration directory, which runs once it is listed; or list a folder of this machine",
      args: ["<package>"],
      options: [
        { flags: "--registry <url>", summary: "take it from this registry" },
        { flags: "--yes", summary: "accept what the plugin needs, provides and taps" },
      ],
      run: async (run) => (await import("./add.ts")).add(run, needs),
    },
    {
      name: "plugins remove",
      despiteProblems: true,
      summary: "take an installed plugin off the disk",
      args: ["<package>"],
      run: async (run) => (await import("./remove.ts")).remove(run, needs),
    },
  ];
}
