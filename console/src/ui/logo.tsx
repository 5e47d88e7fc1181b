/** The daikon logo. */
export function Logo({ size = 32 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" fill="#14703f" />
      <path
        d="M11 8h4.6c5 0 8.2 3.1 8.2 8s-3.2 8-8.2 8H11z"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinejoin="round"
      />
    </svg>
  )
}
