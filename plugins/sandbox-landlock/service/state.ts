import type { Audit, CheckRow, Net, Runtime, Store, Untried } from "@gantry/sdk";
import type { SandboxPolicy } from "@gantry/sdk/fill";
import { type Admission, checkedProxy } from "@gantry/sdk/node";
import type { Static } from "typebox";
import { type BlockedCommands, blockedCommands } from "./blocked-commands.ts";
import type { config as keys } from "../config.ts";
import { Confinement } from "./confinement.ts";
import type { ConfinementOptions } from "./confiner.ts";
import { grants } from "./grants.ts";
import { NoWalls } from "./launch.ts";
import { type Limits, limitingShell, prepareLimits } from "./limits.ts";
import { tierRow } from "./tier-row.ts";
import type { Views } from "../view/views.ts";
import { type WantedViews, triesOf, wantedViews } from "../view/wanted-views.ts";

export interface Needs {
  readonly runtime: Runtime;
  readonly net: Net | undefined;
  readonly audit: Audit | undefined;
  readonly store: Store | undefined;
}

/**
 * The place where its processes start, and for tests the way: as on older kernels, as when
 * namespaces are refused, or within a given time.
 */
export interface Place extends Pick<ConfinementOptions, "base" | "abiCap" | "namespaces" | "startMs"> {
  /** The folder of the layers that runs of the workspace leave. */
  readonly layers: string;
}

/** The walls and the policy that are in force. */
export interface State {
  /** Undefined if walls were asked for and there are none. */
  readonly confinement: Confinement | undefined;
  readonly policy: SandboxPolicy;
  /** Why there are no walls. */
  readonly open?: string;
  /** Why Landlock and the filter are all of them. */
  readonly narrow?: string;
  readonly proxy?: Admission;
  /** The views that hold runs until somebody decides on them, or the reason why no run is held. */
  readonly tries: Views | Untried;
  readonly rows: readonly CheckRow[];
  close(): Promise<void>;
}

/** The parts that the state is made from. */
export interface Origin {
  readonly config: Static<typeof keys>;
  readonly needs: Needs;
  readonly place: Place;
  /** Paths whose code runs as the service. */
  readonly own: readonly string[];
  /** The folder in which its programs work. */
  readonly home: string;
  /** Writes down what a run was stopped for, or what of it was not taken over. */
  record(findings: readonly string[], argv: readonly string[]): Promise<void>;
}

/** Builds the walls as they are configured and as the system has them. */
export async function startState(origin: Origin): Promise<State> {
  const { security, runtime } = origin.config;
  const wanted = security.sandboxing.landlock_enabled;
  if (wanted === false) return without(origin, "security.sandboxing.landlock_enabled is false", true);
  const limits = prepareLimits(runtime);
  try {
    return await within(origin, limits);
  } catch (error) {
    limits.close();
    if (error instanceof NoWalls) return without(origin, error.message, wanted !== true);
    throw error;
  }
}

async function within(origin: Origin, limits: Limits): Promise<State> {
  const { config, needs } = origin;
  const domains = config.security.allowed_domains;
  const net = domains.length > 0 ? needs.net : undefined;
  const blocked = blockedCommands(config.security.blocked_commands);
  const made = await confine(origin, limits, blocked, net !== undefined);
  const proxy = net && (await (await checkedProxy()).startProxy(net));
  if (proxy) made.confinement.openProxy(proxy.port);
  const network = proxy ? `network only through the service's proxy to ${domains.join(", ")}` : "no network";
  const { confinement, views } = made;
  const layers = confinement.layers!;
  const { abi, noNamespaces } = layers;
  const detail = `walls of the kernel (Landlock level ${abi}, filtered system calls); ${network}; ${limits.detail}`;
  return {
    confinement,
    // Without namespaces secret files are open to whatever a command turns out to run.
    policy: { files: noNamespaces === undefined, network: true, detail },
    ...(noNamespaces !== undefined && { narrow: `there are no namespaces: ${noNamespaces}` }),
    tries: triesOf(config.security.runs, views, layers),
    rows: [
      tierRow(layers, {
        wanted: config.security.runs,
        why: views.why,
        autonomous: config.agent.autonomy_level === "autonomous",
        detail,
        blocked,
      }),
    ],
    ...(proxy && { proxy: proxy.admit() }),
    close: async () => {
      await Promise.all([confinement.close(), proxy?.close()]);
      await views.views?.close();
      limits.close();
    },
  };
}

async function confine(
  origin: Origin,
  limits: Limits,
  { files }: BlockedCommands,
  tcp: boolean,
): Promise<{ readonly confinement: Confinement; readonly views: WantedViews }> {
  const { config, needs } = origin;
  const { blocked_paths, sandboxing } = config.security;
  const { workspace, configDir } = needs.runtime;
  const granted = await grants({
    read: sandboxing.allowed_read_paths,
    write: sandboxing.allowed_write_paths,
    blocked: blocked_paths,
    own: origin.own,
    workspace,
    within: origin.home,
    configDir,
  });
  const walls = { ...granted, ...limits.walls, blocked: files, tcp };
  const views = await wantedViews({
    ...origin.place,
    ...filesOf(origin),
    wanted: config.security.runs,
    granted,
  });
  await origin.record(
    views.left.map((one) => `left by a run whose service was killed: ${one}`),
    [],
  );
  const options = { ...origin.place, ...filesOf(origin), views: views.views };
  try {
    const confinement = await Confinement.start({ ...options, walls, limits, prefix: limits.prefix });
    return { confinement, views };
  } catch (error) {
    await views.views?.close();
    throw error;
  }
}

async function without(origin: Origin, open: string, allowed: boolean): Promise<State> {
  const { config } = origin;
  const prefix = limitingShell(config.runtime);
  const confinement = allowed
    ? await Confinement.start({ ...origin.place, prefix, ...filesOf(origin) })
    : undefined;
  const what = !allowed
    ? "such calls are refused"
    : config.agent.autonomy_level === "autonomous"
      ? "nobody is asked, and what cannot be told from its text is refused"
      : "every call that starts or opens something asks a person";
  const detail = `no walls (${open}): ${what}`;
  const cure = "use Linux with Landlock (5.13 or newer) and leave security.sandboxing.landlock_enabled unset";
  return {
    confinement,
    open,
    policy: { files: false, network: false, detail },
    tries: { untried: "there are no walls" },
    rows: [{ what: "sandbox", detail, state: confinement ? "warn" : "fail", cure }],
    close: async () => confinement?.close(),
  };
}

function filesOf({ config, needs }: Origin) {
  const { secret_files: secret, guarded_files: guarded } = config.security;
  const { max_disk_mb: diskMb, max_workspace_mb: workspaceMb } = config.runtime;
  return { workspace: needs.runtime.workspace, secret, guarded, diskMb, workspaceMb };
}
