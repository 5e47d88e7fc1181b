import { Link } from '@tanstack/react-router'
import { Icon } from '../ui/icon.tsx'
import { Logo } from '../ui/logo.tsx'
import classes from './navigation.module.css'
import { screens } from './screens.ts'

export function Navigation() {
  return (
    <>
      <Link to="/" className={classes.brand}>
        <Logo size={28} />
        <span>daikon</span>
      </Link>
      <nav aria-label="Main" className={classes.links}>
        {screens.map(({ to, label, icon }) => (
          <Link
            key={to}
            to={to}
            className={classes.link}
            activeOptions={{ exact: to === '/', includeSearch: false }}
          >
            <Icon name={icon} />
            {label}
          </Link>
        ))}
      </nav>
    </>
  )
}
