import {
  methods,
  type AgentConnection,
  type ClientCapabilities,
  type CreateElicitationRequest as FormIn2,
  type SessionUpdate as UpdateIn2,
} from "@agentclientprotocol/sdk/experimental/v2";
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { Editor } from "./editor.ts";
import { Foreground } from "./foreground.ts";
import { permissionIn2, updateIn2 } from "./version-2-updates.ts";

/** An editor that speaks version 2. */
export class EditorOfVersion2 implements Editor {
  readonly showsNotices = true;
  #connection: AgentConnection | undefined;
  #can: ClientCapabilities = {};
  readonly #foregrounds = new Map<string, Foreground>();

  /** Is called once, before the first message of the editor. */
  connected(connection: AgentConnection): void {
    this.#connection = connection;
  }

  get signal(): AbortSignal {
    return this.#connection?.signal ?? AbortSignal.abort();
  }

  /** Keeps what it has said that it can. */
  introduced(capabilities: ClientCapabilities | undefined): void {
    this.#can = capabilities ?? {};
  }

  get showsForms(): boolean {
    return this.#can.elicitation?.form != null;
  }

  /** Returns the states of a session. */
  foreground(sessionId: string): Foreground {
    let found = this.#foregrounds.get(sessionId);
    if (!found) {
      found = new Foreground((update) => void this.send(sessionId, update));
      this.#foregrounds.set(sessionId, found);
    }
    return found;
  }

  closed(sessionId: string): void {
    this.#foregrounds.delete(sessionId);
  }

  async send(sessionId: string, update: UpdateIn2): Promise<void> {
    const told = this.#connection?.client.notify(methods.client.session.update, { sessionId, update });
    await told?.catch(() => {});
  }

  async update(sessionId: string, update: SessionUpdate): Promise<void> {
    const told = updateIn2(update);
    if (told) await this.send(sessionId, told);
  }

  async permission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse | undefined> {
    const { client } = this.#connection ?? {};
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const answer = await this.foreground(request.sessionId).asking(async () =>
      client?.request(methods.client.session.requestPermission, permissionIn2(request), options),
    );
    return answer as RequestPermissionResponse | undefined;
  }

  async form(
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse | undefined> {
    const { client } = this.#connection ?? {};
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    const sessionId = String((request as { readonly sessionId?: unknown }).sessionId);
    const answer = await this.foreground(sessionId).asking(async () =>
      client?.request(methods.client.elicitation.create, request as FormIn2, options),
    );
    return answer as CreateElicitationResponse | undefined;
  }
}
