import type { CommandContext } from "@gantry/sdk";
import { printable, userOfTerminal } from "@gantry/sdk/node";
import { acceptFound, isAsAccepted, serverCalled } from "./acceptance.ts";
import { askPerson } from "../shared/ask-person.ts";
import { rowsOf } from "./checks.ts";
import { errors } from "./errors.ts";
import { offerOf } from "./offered.ts";
import { removeLogins } from "./login-file.ts";
import type { McpServer } from "./server.ts";
import { changedLines, shownOffer } from "./shown.ts";
import type { WordsNeeds } from "./words-needs.ts";

export { add, remove } from "./words-config.ts";

/** `gantry mcp login NAME`. Throws MCP_UNKNOWN, MCP_LOGIN_*. */
export async function login(run: CommandContext, needs: WordsNeeds): Promise<number> {
  const server = await serverOf(run, needs);
  const { settings, name } = server;
  if (settings.kind !== "http") throw errors.MCP_LOGIN_NO_URL(name);
  return (await import("./words-login.ts")).login(run, needs, server, settings);
}

/** `gantry mcp logout NAME`. Throws MCP_UNKNOWN. */
export async function logout(run: CommandContext, needs: WordsNeeds): Promise<number> {
  const { name } = await serverOf(run, needs);
  const was = await removeLogins(needs.configDir, name);
  run.err(was ? `Forgot the login at ${name}.` : `There is no login at ${name}.`);
  return 0;
}

/** `gantry mcp list` */
export async function list(run: CommandContext, needs: WordsNeeds): Promise<number> {
  const servers = await needs.servers();
  const rows = await rowsOf(servers, "status");
  const all = servers.all.map(({ name, settings }, i) => ({
    name,
    at: settings.kind === "stdio" ? settings.argv.join(" ") : settings.url,
    state: rows[i]?.detail ?? "",
  }));
  if (run.options["json"]) run.out(JSON.stringify({ servers: all }));
  else if (all.length === 0) run.err("No MCP server is configured: add one with `gantry mcp add`.");
  else for (const { name, at, state } of all) run.out(`${name}  ${state}  ${printable(at, 200)}`);
  return 0;
}

/** `gantry mcp accept NAME`: shows every tool and asks. Throws MCP_NOT_CONFIRMED. */
export async function accept(run: CommandContext, needs: WordsNeeds): Promise<number> {
  const server = await serverOf(run, needs);
  const found = await server.find();
  const before = await server.file.read().catch(() => undefined);
  const changes = before ? await changedLines(before, found) : [];
  for (const line of [...shownOffer(server, found), ...changes]) run.err(line);
  const question = `Accept ${found.tools.length} tools and ${found.prompts.length} prompts of ${server.name}?`;
  if (!(await askPerson(run, question))) throw errors.MCP_NOT_CONFIRMED();
  await acceptFound(needs.audit, server, found, userOfTerminal());
  run.err(`Accepted ${server.name}.`);
  return 0;
}

/** `gantry mcp diff NAME`: 0 if nothing differs, else 1. Throws MCP_NOT_ACCEPTED. */
export async function diff(run: CommandContext, needs: WordsNeeds): Promise<number> {
  const server = await serverOf(run, needs);
  const accepted = await server.file.read();
  if (!accepted) throw errors.MCP_NOT_ACCEPTED(server.name, server.name);
  const lines = await changedLines(accepted, await server.find());
  for (const line of lines) run.out(line);
  if (lines.length === 0) run.err(`${server.name} is as it was accepted.`);
  return lines.length === 0 ? 0 : 1;
}

/** `gantry mcp check NAME`: 0 if it works and is as it was accepted, else 1. */
export async function check(run: CommandContext, needs: WordsNeeds): Promise<number> {
  const server = await serverOf(run, needs);
  const found = await server.find();
  const accepted = await server.file.read();
  const offer = offerOf(server, found, undefined);
  const clashes = await (await needs.servers()).clashes({ server, accepted: found });
  const own = clashes.filter((one) => one.server === server.name);
  const leftOut = [
    ...offer.leftOut,
    ...own.map(({ name, kind, first }) => ({
      tool: name,
      why: `the MCP server ${first} has a ${kind} of that name`,
    })),
  ];
  const tools = offer.tools.filter(({ name }) => own.every((one) => one.name !== name));
  const isSame = accepted !== undefined && isAsAccepted(accepted, found);
  const state = accepted === undefined ? "not accepted" : isSame ? "as accepted" : "changed";
  if (run.options["json"])
    run.out(
      JSON.stringify({
        name: server.name,
        state,
        era: found.era,
        tools: tools.map(({ name }) => name),
        left_out: leftOut,
      }),
    );
  else {
    run.out(
      `${server.name} answers and is ${state}; ${tools.length} tools, ${found.prompts.length} prompts.`,
    );
    for (const { tool, why } of leftOut) run.out(`left out ${tool}: ${why}`);
  }
  return isSame ? 0 : 1;
}

async function serverOf(run: CommandContext, needs: WordsNeeds): Promise<McpServer> {
  return serverCalled(run.args[0] ?? "", (await needs.servers()).all);
}
