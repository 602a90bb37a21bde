import { ApprovalCard } from "./approval-card.tsx";
import { isAllowed, questions } from "./approval-state.ts";
import { Empty, View } from "./parts.tsx";
import { account } from "./service.ts";
import { texts } from "./texts.ts";

/** The questions of every door. */
export function Approvals() {
  const mayDecide = isAllowed.value && account.value?.may.includes("decide") === true;
  const first = questions.value.find(({ end }) => end === undefined)?.question.id;
  return (
    <View title={texts.approvals.title}>
      {!mayDecide && <Empty title={texts.scope("decide")} hint={texts.scopeCure("decide")} icon="◇" />}
      {mayDecide && questions.value.length === 0 && (
        <Empty title={texts.approvals.empty} hint={texts.approvals.emptyHint} icon="✓" />
      )}
      <div class="stack">
        {questions.value.map((asked) => (
          <ApprovalCard key={asked.question.id} {...asked} takesFocus={asked.question.id === first} />
        ))}
      </div>
    </View>
  );
}
