import {
  methods,
  type AgentConnection,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";

/** The editor at the other end, as far as it is asked or told anything, in words of version 1. */
export interface Editor {
  /** Aborted once it has left. */
  readonly signal: AbortSignal;
  readonly showsForms: boolean;
  readonly showsNotices: boolean;
  /**
   * Resolves once it is written. Updates are written in order; what an editor that has left is told
   * goes nowhere.
   */
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  /**
   * Rejects if the editor cannot be asked, and as soon as `signal` is aborted, of which the editor
   * is told.
   */
  permission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse | undefined>;
  /** As {@link Editor.permission}. */
  form(
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse | undefined>;
}

/** An editor that speaks version 1. */
export class EditorOfVersion1 implements Editor {
  #connection: AgentConnection | undefined;
  #can: ClientCapabilities = {};

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
    return Object(this.#can.elicitation?.form) === this.#can.elicitation?.form;
  }

  get showsNotices(): boolean {
    return Object(this.#can.session?.notices) === this.#can.session?.notices;
  }

  async update(sessionId: string, update: SessionUpdate): Promise<void> {
    const told = this.#connection?.client.notify(methods.client.session.update, { sessionId, update });
    await told?.catch(() => {});
  }

  async permission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse | undefined> {
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    return this.#connection?.client.request(methods.client.session.requestPermission, request, options);
  }

  async form(
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ): Promise<CreateElicitationResponse | undefined> {
    const options = { cancellationSignal: signal, stopWaitingOnCancel: true };
    return this.#connection?.client.request(methods.client.elicitation.create, request, options);
  }
}
