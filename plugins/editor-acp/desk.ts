import { randomBytes } from "node:crypto";
import type {
  InitializeResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  LoadSessionRequest,
  LoadSessionResponse,
  NewSessionRequest,
  NewSessionResponse,
  ResumeSessionRequest,
} from "@agentclientprotocol/sdk";
import { printable } from "@gantry/sdk/node";
import type { Editor } from "./editor.ts";
import { errors } from "./errors.ts";
import { folderOf, keepFolder, type Folder } from "./folders.ts";
import { listSessions } from "./listed.ts";
import type { Needs } from "./needs.ts";
import { channel, Session } from "./session.ts";

/** The most sessions of one process. */
const mostSessions = 256;

type Wanted = Pick<NewSessionRequest, "cwd" | "additionalDirectories"> &
  Partial<Pick<NewSessionRequest, "mcpServers">>;

/** The requests that one editor may make: its sessions, each in a folder of its own. */
export class Desk {
  readonly #needs: Needs;
  readonly #editor: Editor;
  readonly #sessions = new Map<string, Session>();

  constructor(needs: Needs, editor: Editor) {
    this.#needs = needs;
    this.#editor = editor;
  }

  /** Answers in version 1, whichever the editor would rather have. */
  initialize(): InitializeResponse {
    return {
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: this.#needs.media !== undefined, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { close: {}, list: {}, resume: {} },
      },
      authMethods: [],
      agentInfo: { name: "gantry", title: "Gantry", version: this.#needs.runtime.version },
    };
  }

  /** Opens a conversation. Throws ACP_SESSIONS, ACP_ONE_FOLDER and what `folderOf` throws. */
  async open(wanted: NewSessionRequest): Promise<NewSessionResponse> {
    const folder = await this.#folderOf(wanted);
    const session = this.#begin(`${channel}-${randomBytes(8).toString("hex")}`, folder);
    await keepFolder(this.#needs.store, folder);
    await this.#welcome(session, wanted);
    return { sessionId: session.id, modes: session.modes };
  }

  /**
   * Opens an earlier conversation of the same folder and tells what was said. Throws as `open`, and
   * ACP_SESSION_UNKNOWN.
   */
  async load(wanted: LoadSessionRequest): Promise<LoadSessionResponse> {
    const session = await this.#reopen(wanted);
    await session.replay();
    await this.#welcome(session, wanted);
    return { modes: session.modes };
  }

  /** As `load`, without telling what was said. */
  async resume(wanted: ResumeSessionRequest): Promise<LoadSessionResponse> {
    const session = await this.#reopen(wanted);
    await this.#welcome(session, wanted);
    return { modes: session.modes };
  }

  list(wanted: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { store, runtime } = this.#needs;
    return listSessions(store, runtime.workspace, wanted);
  }

  /** Throws ACP_SESSION_UNKNOWN. */
  session(id: string): Session {
    const session = this.#sessions.get(id);
    if (!session) throw errors.ACP_SESSION_UNKNOWN(printable(id, 100));
    return session;
  }

  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  /** Ends the turns of a session; an id that is not known has none. */
  async cancel(id: string): Promise<void> {
    await this.#sessions.get(id)?.cancel();
  }

  /** Throws ACP_SESSION_UNKNOWN. */
  async close(id: string): Promise<void> {
    const session = this.session(id);
    this.#sessions.delete(id);
    await session.cancel();
  }

  /** Ends all turns; resolves once they have ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.cancel()));
  }

  async #folderOf({ cwd, additionalDirectories = [] }: Wanted): Promise<Folder> {
    if (additionalDirectories.length > 0) throw errors.ACP_ONE_FOLDER();
    return folderOf(cwd, this.#needs.runtime.workspace);
  }

  async #reopen(wanted: Wanted & { readonly sessionId: string }): Promise<Session> {
    const { sessionId } = wanted;
    const folder = await this.#folderOf(wanted);
    const open = this.#sessions.get(sessionId);
    if (open?.folder.name === folder.name) return open;
    const access = await this.#needs.store.sessions.access(sessionId);
    // A session of another folder looks like one that is not there.
    if (access?.owner !== `${channel}:${folder.name}`)
      throw errors.ACP_SESSION_UNKNOWN(printable(sessionId, 100));
    return this.#begin(sessionId, folder);
  }

  #begin(id: string, folder: Folder): Session {
    if (this.#sessions.size >= mostSessions) throw errors.ACP_SESSIONS(mostSessions);
    const session = new Session(id, folder, this.#needs, this.#editor);
    this.#sessions.set(id, session);
    return session;
  }

  async #welcome(session: Session, { mcpServers = [] }: Wanted): Promise<void> {
    if (mcpServers.length > 0) {
      const names = mcpServers.map(({ name }) => name.slice(0, 60)).join(", ");
      await session.notice(
        `Not used: the MCP servers of this editor (${names.slice(0, 400)})`,
        "Nothing accepted what they offer. Name them to Gantry by `gantry mcp add`, look at their tools, and accept them.",
      );
    }
    // The editor knows the session once it has the answer to its request, which is written first.
    setImmediate(() => void session.tellWords());
  }
}
