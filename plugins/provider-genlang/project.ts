import { answerFailure, providerAddress, ProviderError } from "@gantry/sdk/provider";
import type { Store, Upstream } from "@gantry/sdk";
import { NAME } from "./config.ts";
import type { GenlangConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { digest } from "../shared/sealed-value.ts";
import type { Account, Tokens } from "./tokens.ts";

const SPACE = "genlang-project";
const KEPT_MS = 24 * 60 * 60 * 1000;
const METADATA = { ideType: "IDE_UNSPECIFIED", platform: "PLATFORM_UNSPECIFIED", pluginType: "GEMINI" };

export interface Projects {
  /**
   * The cloud project of an account: the environment's, else what the server says, which is kept
   * for a day.
   */
  of(
    account: Account,
    tokens: Tokens & { readonly accessToken: string },
    signal: AbortSignal,
  ): Promise<string>;
  /** After the server refused it. */
  forget(tokens: Tokens): Promise<void>;
}

export function createProjects(
  config: GenlangConfig,
  upstream: Upstream,
  store: Store | undefined,
): Projects {
  const known = new Map<string, string>();

  return {
    async of(account, tokens, signal) {
      const { CLOUD_PROJECT, CLOUD_PROJECT_ID } = process.env;
      const named = CLOUD_PROJECT?.trim() || CLOUD_PROJECT_ID?.trim();
      if (named) return named;
      const key = keyOf(tokens);
      const kept = known.get(key) ?? (await store?.values.get(SPACE, key));
      if (typeof kept === "string") return kept;
      const project = await load(config, upstream, account, tokens.accessToken, signal);
      known.set(key, project);
      await store?.values.put(SPACE, key, project, { forMs: KEPT_MS });
      return project;
    },
    async forget(tokens) {
      known.delete(keyOf(tokens));
      await store?.values.remove(SPACE, keyOf(tokens));
    },
  };
}

function keyOf({ refreshToken, accessToken }: Tokens): string {
  return digest(refreshToken ?? accessToken ?? "");
}

async function load(
  config: GenlangConfig,
  upstream: Upstream,
  account: Account,
  accessToken: string,
  signal: AbortSignal,
): Promise<string> {
  const response = await upstream.fetch({
    url: providerAddress(config.endpoints.genlang_internal_url).at(":loadCodeAssist"),
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ metadata: METADATA }),
    signal,
    connectTimeoutMs: 10_000,
    maxBytes: 1024 * 1024,
  });
  const body = await response.text();
  if (response.status !== 200) {
    const retryAfter = response.headers.get("retry-after");
    throw new ProviderError(
      answerFailure({
        provider: NAME,
        model: undefined,
        status: response.status,
        body,
        retryAfter,
        secrets: [accessToken],
      }),
    );
  }
  const project = readProject(body);
  if (!project) throw errors.GENLANG_NO_PROJECT(account.id);
  return project;
}

/** The id, or an object that holds it. */
function readProject(body: string): string | undefined {
  try {
    const { cloudaicompanionProject: project } = JSON.parse(body) as { cloudaicompanionProject?: unknown };
    const id = typeof project === "object" && project !== null ? (project as { id?: unknown }).id : project;
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    return undefined;
  }
}
