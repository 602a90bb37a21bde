import {
  Approvals as ApprovalsSlot,
  Audit as AuditSlot,
  ConfigFile as ConfigFileSlot,
  GantryError,
  Inbox as InboxSlot,
  Outbox as OutboxSlot,
  People as PeopleSlot,
  Providers as ProvidersSlot,
  Policy as PolicySlot,
  Runtime as RuntimeSlot,
  ToolCatalog as ToolCatalogSlot,
  type AnySlot,
  type ErrorTable,
  type ExitCode,
  type Filled,
  type Logger,
} from "@gantry/sdk";
import { errors } from "./errors.ts";
import type { HostOptions } from "./host-options.ts";
import { AllowRules } from "./tools/allow-rules.ts";
import { Approvals } from "./tools/approvals.ts";
import { Audit } from "./record/audit.ts";
import { checkPeople } from "./config/check-people.ts";
import { loadsOf } from "./config/check.ts";
import { People } from "./config/people.ts";
import { Enforcers } from "./plugins/enforcers.ts";
import { HookTable } from "./plugins/hook-table.ts";
import type { Inbox } from "./messages/inbox.ts";
import { Messages } from "./messages/messages.ts";
import type { Outbox } from "./messages/outbox.ts";
import { Telling } from "./record/observers.ts";
import { redactedLog } from "./record/log.ts";
import { BoundaryWords } from "./turn/boundary-words.ts";
import { checkProviderIds } from "./turn/provider-ids.ts";
import { checkProviderTables } from "./turn/provider-tables.ts";
import { Providers } from "./turn/providers.ts";
import { TurnMedia } from "./turn/turn-media.ts";
import { inOrder } from "./plugins/order.ts";
import { ownSecrets } from "./record/own-secrets.ts";
import { Policy } from "./tools/policy.ts";
import { Redaction } from "./record/redaction.ts";
import { commandsReachOut } from "./tools/network.ts";
import { Rulings } from "./tools/rulings.ts";
import { SessionSources } from "./tools/session-sources.ts";
import { Registry } from "./plugins/registry.ts";
import { PluginInstance } from "./plugins/plugin-instance.ts";
import type { Serving } from "./messages/serving.ts";
import { runtimeOf } from "./runtime.ts";
import { ToolList } from "./tools/tool-list.ts";
import { ToolCalls } from "./tools/tool-call.ts";
import { resolvePath } from "./tools/effects.ts";

/** Puts the pieces together; knows no plugin by name. */
export class Host {
  readonly log: Logger;
  readonly hooks: HookTable;
  readonly audit: Audit;
  readonly people: People;
  readonly approvals: Approvals;
  readonly calls: ToolCalls;
  readonly tools: ToolList;
  readonly models: Providers;
  readonly policy: Policy;
  readonly media: TurnMedia;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
  readonly forOwner: Redaction;
  readonly serving: Serving;
  readonly registry: Registry = new Registry();
  readonly options: HostOptions;
  readonly #enforcers: Enforcers;
  readonly #allowRules: AllowRules;
  readonly #scopes: PluginInstance[] = [];
  readonly #failed = new Set<string>();

  constructor(options: HostOptions) {
    const { config, timeouts = {}, workspace } = options;
    const { registry } = this;
    const redaction = new Redaction(registry, ownSecrets(config.parts.values(), process.env));
    this.options = options;
    this.log = redactedLog(options.write, redaction, options.debug === true);
    this.hooks = new HookTable(this.log, timeouts.hook);
    this.audit = new Audit(registry, this.hooks, redaction);
    this.people = new People(config.host.people, registry);
    this.approvals = new Approvals(registry, this.people, timeouts.approval ?? 300_000);
    const { agent, default_provider, default_model, default_temperature, memory } = config.host;
    const want = { provider: agent.provider ?? default_provider, model: agent.model ?? default_model };
    this.media = new TurnMedia(registry);
    this.models = new Providers(registry, this.hooks, want);
    this.tools = new ToolList(registry, this.log, () => this.#enforcers.holdLevel());
    const shared = {
      registry,
      tools: this.tools,
      hooks: this.hooks,
      audit: this.audit,
      approvals: this.approvals,
      people: this.people,
      observers: new Telling(registry, this.log),
      log: this.log,
    };
    const maxOutputBytes = config.host.tools.max_output_bytes;
    this.#enforcers = new Enforcers({
      hooks: this.hooks,
      loaded: options.plugins.map(({ plugin }) => plugin),
      absent: options.absent ?? (async () => []),
      loads: (plugin) => loadsOf(config.text, plugin),
      levelHeldOutside: options.levelHeldOutside === true,
    });
    this.#allowRules = new AllowRules(config.host.security.allow);
    const rulings = new Rulings(registry, this.#allowRules, agent.autonomy_level, this.#enforcers);
    const sources = new SessionSources(registry);
    const cwd = (): Promise<string> => resolvePath("/", workspace);
    const network = (): Promise<boolean> => commandsReachOut(registry, config.host.security.allowed_domains);
    this.calls = new ToolCalls({ ...shared, rulings, sources, cwd, network, maxOutputBytes });
    this.policy = new Policy(this.calls, this.hooks, rulings, this.#enforcers);
    const turn = {
      ...shared,
      models: this.models,
      calls: this.calls,
      sources,
      redaction,
      media: this.media,
      words: new BoundaryWords(registry),
      temperature: default_temperature,
      maxIterations: agent.max_tool_iterations,
      maxTurns: memory.max_conversation_turns,
      workspace,
    };
    this.forOwner = config.host.security.redact_for_owner ? redaction : redaction.forOwner();
    const { inbox, outbox, serving } = new Messages({
      ...shared,
      sources,
      rulings,
      redaction,
      turn,
      want,
      forOwner: this.forOwner,
      bounds: config.host.gateway,
      configDir: options.configDir,
      prepare: () => this.#prepare(),
      bundled: options.bundled,
    });
    this.inbox = inbox;
    this.outbox = outbox;
    this.serving = serving;
  }

  /** Sets plugins up in order of need, then readies them. On a failure, all that was done is undone. */
  async start(ready: boolean = true): Promise<void> {
    const { plugins, leftOut = [], config, configEditor, bundled } = this.options;
    for (const { name, why } of leftOut) this.#leaveOut(name, why);
    for (const { code, message } of [...config.retired, ...this.#allowRules.idle()])
      this.log.warn({ code }, message);
    const all = plugins.map(({ plugin }) => plugin);
    const twice = all.find(({ name }, i) => all.findIndex((other) => other.name === name) !== i)?.name;
    if (twice) throw errors.PLUGIN_TWICE(twice);
    const own = new Map<AnySlot, unknown>([
      [ApprovalsSlot, this.approvals],
      [AuditSlot, this.audit],
      [ConfigFileSlot, configEditor(this.audit)],
      [InboxSlot, this.inbox],
      [OutboxSlot, this.outbox],
      [PeopleSlot, this.people],
      [ProvidersSlot, this.models],
      [PolicySlot, this.policy],
      [RuntimeSlot, runtimeOf(this.options, this.#failed)],
      [ToolCatalogSlot, this.tools],
    ]);
    const sorted = await inOrder(all, [...own.keys()], bundled);
    for (const [slot, value] of own) this.registry.put("host", slot, value);
    const { hooks, registry, log } = this;
    const deps = { hooks, registry, log, timeoutMs: this.options.timeouts?.plugin ?? 30_000 };
    try {
      for (const plugin of sorted) {
        const scope = new PluginInstance(plugin, config.parts.get(plugin.name) ?? Object.freeze({}), deps);
        const isOptional = plugins.some(({ plugin: { name }, optional }) => optional && name === plugin.name);
        const failed = await scope.setup().catch((error: Error) => error);
        if (!failed) this.#scopes.push(scope);
        else if (isOptional) this.#leaveOut(plugin.name, failed);
        else throw failed;
      }
      await checkPeople(config, this.people, this.registry, this.options);
      checkProviderIds(config, this.registry);
      await checkProviderTables(config, this.hooks, this.registry);
      await this.#enforcers.warnUnheld(this.registry, this.log);
      if (ready) for (const scope of this.#scopes) await scope.ready();
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** What may be needed while serving is loaded now, not once something fails: then it might not load. */
  async #prepare(): Promise<void> {
    for (const scope of this.#scopes) await scope.prepare();
    await this.approvals.prepare();
  }

  #leaveOut(plugin: string, why: Error): void {
    this.#failed.add(plugin);
    const { code, message } = errors.PLUGIN_LEFT_OUT(plugin, why.message);
    this.log.warn({ plugin, code }, message);
  }

  /** Undoes everything, the last plugin first. */
  async stop(): Promise<void> {
    await this.serving.stop();
    this.hooks.end();
    for (const scope of this.#scopes.splice(0).toReversed()) await scope.dispose();
  }

  get<S extends AnySlot>(slot: S): Filled<S> | undefined {
    return this.registry.get(slot);
  }

  /** A plugin's code threw where nobody waited for it: it is named, and everything else goes on. Its guards stay. */
  failedLater(plugin: string, error: Error): void {
    this.#failed.add(plugin);
    const failure = error instanceof GantryError ? error : errors.PLUGIN_FAILED_LATER(plugin, error);
    this.log.error({ code: failure.code, plugin, err: error }, failure.message);
  }

  /** The exit code of an error, from the table of whoever raises it; `unknown` where it stands in none. */
  exitOf(code: string, unknown: ExitCode = 1): ExitCode {
    const tables: readonly ErrorTable[] = [
      errors,
      ...this.options.plugins.map(({ plugin }) => (plugin.errors ?? {}) as ErrorTable),
    ];
    return tables.find((table) => Object.hasOwn(table, code))?.[code]?.exit ?? unknown;
  }

  loadedFrom(): readonly { readonly name: string; readonly from: string }[] {
    return this.options.plugins.map(({ plugin: { name }, from }) => ({ name, from }));
  }
}
