/** One sentence of the contract; rejects if it does not hold. */
export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}
