/**
 * Places of the names of level 2: by the door that they had, by the door that they have now,
 * which is empty if they have none.
 */
export const moved: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "@gantry/sdk": {
    "@gantry/sdk/fill": `
    AcceptBounds Acceptance AnswerOutcome Budget BudgetVerdict CallOptions Claim ClaimBounds
    ClaimedMessages ClaimedTurn ClaimedTurnOptions CommandOption ConfigChange ConfigEditor
    Confining ConnectOptions ConnectTls ConversationControl Decider Decision DecisionOutcome
    DirectoryEntry EffectsContext Effort Enforcement Erased EventQueue FileFound FileReplaced
    FileSearch FoundLine GivenWords HookKind KeptMessage LaneState LaneStats Lanes Lease Loopback
    LoopbackVisit MediaFacts MessageWorker MissingGuard ModelRouter Notice OpenSpec OptionValue
    Pages ProcessEnd ProcessPipe QuestionEnd Redactor Redactors Reloaded ReplyHeaders Retry
    RouteFailure RoutedEvent RunSpec RunningTurn RunningWorker RuntimeLimits SandboxPolicy
    SandboxedFiles SearchResult Served SessionAccess SessionSummary SessionView Sessions SocketEnd TapOptions
    TextPart ToolCallOutcome ToolFacts TraceParent Trial TurnBudget Usage UsageKey UsageRow UsageSum
    ValueLife ValuePage Waiting WebField WebForm WebPage Window WriteOptions allOf approvalText
    autonomyLevels causedBy charactersPerToken eventFrame hookKinds isCommandPrompt isScope
    isSecret isWholeConversation isWider lacking laneOf lengthOf masked mediaIn mediaRef noticeFor
    noticeId offerOf providerKeys readTraceparent sandboxingKeys scopes servedBy settledText
    shownAddress sizeOf splitImages toolsKeys turnsToShow userOf wrongEffects
    `,
    "@gantry/sdk/node": "NameTest fileNames secretFiles",
    "": "RouteAuth endedText",
  },
  "@gantry/sdk/channel": { "@gantry/sdk/fill": "settledText" },
  "@gantry/sdk/node": {
    "": `
    Circuit CircuitLimits HiddenTexts MarkupParser PlainFile RuntimeHole RuntimeVerdict Try
    TryFailure WithoutHidden feedMarkup longestAskedMs openFilesLimit plainFileBytes
    plainFileStart runtimeFloors runtimeHoles runtimeVerdict silentMs troubleRows waitingStatus
    withPlainFile
    `,
  },
};
