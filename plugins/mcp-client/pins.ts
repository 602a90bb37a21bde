import type { Audit, Logger } from "@gantry/sdk";
import { differencesOf, type Accepted, type AcceptedFile, type Changed } from "./accepted.ts";
import { digestOf } from "./digest.ts";
import { errors } from "./errors.ts";
import type { Listed } from "./listed.ts";
import type { ServerSettings } from "./settings.ts";

const MAX_NAMED = 20;

export interface PinsNeeds {
  readonly audit: Audit;
  readonly log: Logger;
  /** Called whenever what may be offered is something else. */
  readonly onChange: () => void;
}

/** Holds a server to what was accepted of it, and tells once what is not. */
export class Pins {
  readonly #settings: ServerSettings;
  readonly #file: AcceptedFile;
  readonly #needs: PinsNeeds;
  /** The differences that this process has found last. */
  #changed: Changed | undefined;

  constructor(settings: ServerSettings, file: AcceptedFile, needs: PinsNeeds) {
    this.#settings = settings;
    this.#file = file;
    this.#needs = needs;
  }

  /**
   * `server`: the digest of what would be started. Throws MCP_NOT_ACCEPTED, and MCP_CHANGED if it
   * would be started in another way than was accepted.
   */
  async accepted(server: string): Promise<Accepted> {
    const { name } = this.#settings;
    const accepted = await this.#file.read();
    if (!accepted) throw errors.MCP_NOT_ACCEPTED(name, name);
    if (server === accepted.server) return accepted;
    await this.#note(accepted, { of: digestOf(accepted), server: true, tools: [], prompts: [] });
    throw errors.MCP_CHANGED("The command or address", name, name, name);
  }

  /** Says whether a tool is known to differ from what is accepted by now. */
  async isChanged(tool: string): Promise<boolean> {
    const changed = this.#changed;
    if (!changed || !(changed.server || changed.tools.includes(tool))) return false;
    const accepted = await this.#file.read();
    return accepted === undefined || digestOf(accepted) === changed.of;
  }

  /** Compares what is listed now, and returns what of the accepted is not as it was. */
  async compare(accepted: Accepted, listed: Listed): Promise<Changed> {
    const tools = differencesOf(accepted.tools, listed.tools);
    const prompts = differencesOf(accepted.prompts, listed.prompts);
    const changed: Changed = {
      of: digestOf(accepted),
      server: false,
      tools: [...tools.changed, ...tools.missing],
      prompts: [...prompts.changed, ...prompts.missing],
    };
    await this.#note(accepted, changed);
    return changed;
  }

  /** An item that changed back is as it was accepted. */
  async #note(accepted: Accepted, changed: Changed): Promise<void> {
    const { server, tools, prompts, of } = changed;
    this.#changed = changed;
    const before = (await this.#file.changed(accepted)) ?? { of, server: false, tools: [], prompts: [] };
    if (digestOf(before) === digestOf(changed)) return;
    await this.#file.noteChanged(changed);
    this.#needs.onChange();
    if (!server && tools.length === 0 && prompts.length === 0) return;
    const { name } = this.#settings;
    const named = { tools: tools.slice(0, MAX_NAMED), prompts: prompts.slice(0, MAX_NAMED) };
    await this.#needs.audit.record({
      event_type: "security_refusal",
      tool: "",
      args: { mcp_server: name, server, ...named },
      result: "mcp_changed",
      user: "",
      session_id: "",
    });
    const { code, message } = errors.MCP_CHANGED("What is listed", name, name, name);
    this.#needs.log.warn({ code, server: name }, message);
  }
}
