import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { settings } from '../settings.ts'
import { Icon } from '../ui/icon.tsx'
import { notifyFailure } from '../ui/notify.ts'
import { Initials } from '../ui/person.tsx'
import classes from './header.module.css'

type Props = {
  person: { name: string; email: string }
  onSignOut: () => Promise<void>
  /** Further items. */
  children?: ReactNode
}

/** The menu of the person who is signed in. */
export function AccountMenu({ person: { name, email }, onSignOut, children }: Props) {
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.account}>
          <VisuallyHidden>Account of {name || email}</VisuallyHidden>
          <Initials name={name || email} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {name}
          <br />
          {email}
        </Menu.Label>
        {children}
        <Menu.Item
          component="a"
          href={`${settings.base_url}/account`}
          leftSection={<Icon name="user" size={16} />}
        >
          Your account
        </Menu.Item>
        <Menu.Item
          leftSection={<Icon name="signOut" size={16} />}
          onClick={() =>
            onSignOut().catch((error) => notifyFailure(error, 'You are still signed in'))
          }
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
