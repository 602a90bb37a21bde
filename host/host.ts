import { GantryError, type AnySlot, type Filled, type Logger } from "@gantry/sdk";
import { loadsOf } from "./config/check.ts";
import { errors } from "./errors.ts";
import type { HostOptions } from "./host-options.ts";
import { checkPeople } from "./config/check-people.ts";
import { People } from "./config/people.ts";
import { Messages } from "./messages/messages.ts";
import { ownSlots } from "./own-slots.ts";
import { Enforcers } from "./plugins/enforcers.ts";
import { HookTable } from "./plugins/hook-table.ts";
import { PluginSet } from "./plugins/plugin-set.ts";
import { Registry } from "./plugins/registry.ts";
import { Audit } from "./record/audit.ts";
import { redactedLog } from "./record/log.ts";
import { Telling } from "./record/observers.ts";
import { Redaction } from "./record/redaction.ts";
import { Approvals } from "./tools/approvals.ts";
import { Tooling } from "./tools/tooling.ts";
import { BoundaryWords } from "./turn/boundary-words.ts";
import { Providers } from "./turn/providers.ts";
import { TurnMedia } from "./turn/turn-media.ts";

/** Puts the pieces together; knows no plugin by name. */
export class Host {
  readonly log: Logger;
  readonly hooks: HookTable;
  readonly audit: Audit;
  readonly people: People;
  readonly approvals: Approvals;
  readonly calls: Tooling["calls"];
  readonly tools: Tooling["tools"];
  readonly models: Providers;
  readonly policy: Tooling["policy"];
  readonly media: TurnMedia;
  readonly inbox: Messages["inbox"];
  readonly outbox: Messages["outbox"];
  readonly forOwner: Redaction;
  readonly serving: Messages["serving"];
  readonly turns: Messages["turns"];
  readonly registry: Registry = new Registry();
  readonly options: HostOptions;
  readonly #enforcers: Enforcers;
  readonly #plugins: PluginSet;
  readonly #written: () => Promise<void>;

  constructor(options: HostOptions) {
    const { config, plugins, bundled, timeouts = {}, workspace } = options;
    const { registry } = this;
    const given = config.parts.values();
    const redaction = Redaction.ofService(registry, given, process.env, timeouts.hook);
    this.options = options;
    const { log, written } = redactedLog(options.write, redaction, options.debug === true);
    this.log = log;
    this.#written = written;
    this.hooks = new HookTable(this.log, timeouts.hook);
    this.audit = new Audit(registry, this.hooks, redaction);
    this.people = new People(config.host.people, registry);
    this.approvals = new Approvals(registry, this.people, timeouts.approval ?? 300_000);
    const { agent, security, default_provider, default_model, default_temperature, memory } = config.host;
    const want = { provider: agent.provider ?? default_provider, model: agent.model ?? default_model };
    this.media = new TurnMedia(registry);
    this.models = new Providers(registry, this.hooks, want);
    const common = {
      registry,
      hooks: this.hooks,
      audit: this.audit,
      approvals: this.approvals,
      people: this.people,
      observers: new Telling(registry, this.log),
      log: this.log,
    };
    const { parts } = config;
    this.#plugins = new PluginSet({ ...common, plugins, bundled, parts, timeoutMs: timeouts.plugin });
    this.#enforcers = new Enforcers({
      hooks: this.hooks,
      loaded: plugins.map(({ plugin }) => plugin),
      absent: options.absent ?? (async () => []),
      loads: (plugin) => loadsOf(config.text, plugin),
      levelHeldOutside: options.levelHeldOutside === true,
    });
    this.forOwner = security.redact_for_owner ? redaction : redaction.forOwner();
    const { tools, rulings, sources, calls, policy } = new Tooling({
      ...common,
      enforcers: this.#enforcers,
      level: agent.autonomy_level,
      allow: security.allow,
      file: config.text.tree,
      allowedDomains: security.allowed_domains,
      maxOutputBytes: config.host.tools.max_output_bytes,
      forOwner: this.forOwner,
      workspace,
    });
    this.tools = tools;
    this.calls = calls;
    this.policy = policy;
    const shared = { ...common, tools };
    const turn = {
      ...shared,
      models: this.models,
      calls,
      sources,
      redaction,
      media: this.media,
      words: new BoundaryWords(registry),
      temperature: default_temperature,
      maxIterations: agent.max_tool_iterations,
      maxTurns: memory.max_conversation_turns,
      workspace,
    };
    const { inbox, outbox, serving, turns } = new Messages({
      ...shared,
      sources,
      rulings,
      redaction,
      turn,
      want,
      forOwner: this.forOwner,
      bounds: config.host.gateway,
      configDir: options.configDir,
      // Everything that serving may need is loaded now: once something fails, it might not load.
      lacking: this.#plugins.lacking,
      prepare: async () => {
        await this.#plugins.prepare();
        await this.approvals.prepare();
      },
    });
    this.inbox = inbox;
    this.outbox = outbox;
    this.serving = serving;
    this.turns = turns;
  }

  /** Sets plugins up in order of need, then readies them. On a failure, all of that is undone. */
  async start(ready: boolean = true): Promise<void> {
    const { leftOut = [], config, configEditor, check } = this.options;
    for (const { name, why } of leftOut) this.#plugins.leaveOut(name, why);
    const own = ownSlots(this, configEditor(this), this.#plugins);
    try {
      await this.#plugins.setup(own);
      await checkPeople(config, this.people, this.registry, this.options);
      await check?.(this);
      await this.#enforcers.warnUnheld(this.registry, this.log);
      if (ready) await this.#plugins.ready();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Undoes everything, the last plugin first. */
  async stop(): Promise<void> {
    await this.serving.stop();
    this.hooks.end();
    await this.#written();
    await this.#plugins.dispose();
  }

  get<S extends AnySlot>(slot: S): Filled<S> | undefined {
    return this.registry.get(slot);
  }

  /** Names the plugin whose code threw when nobody waited; all else goes on, also its guards. */
  failedLater(plugin: string, error: Error): void {
    this.#plugins.failed.add(plugin);
    const failure = error instanceof GantryError ? error : errors.PLUGIN_FAILED_LATER(plugin, error);
    this.log.error({ code: failure.code, plugin, err: error }, failure.message);
  }

  /** Why channels were not set up: nothing serves without them. */
  get lacking(): Readonly<PluginSet["lacking"]> {
    return this.#plugins.lacking;
  }
}
